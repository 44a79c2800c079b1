package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"macemc/search"
)

// A Cluster lets processes on several machines take the walks of one search. The module cluster has
// one; a program has it by Program{Cluster: cluster.Commands()}.
type Cluster struct {
	// Flags adds the flags by which the commands coordinator and worker reach the cluster.
	Flags func(flags *pflag.FlagSet, coordinator bool)
	// Coordinate distributes the walks of a job, and may store files in a directory. It calls say with events.
	Coordinate func(j Job, dir string, say func(string)) (afar search.Afar, end func(), err error)
	// Work takes walks of jobs on n goroutines until ctx is done. take returns a Taker for a job, or an error.
	Work func(ctx context.Context, n int, take func(Job) (*search.Taker, error), say func(string)) error
}

// Job is a search of which a process takes walks. Its options are the arguments of a command line:
// no code travels.
type Job struct{ stateHeader }

// ErrRefused says that a worker cannot take walks of a job.
var ErrRefused = errors.New("this worker cannot take walks of the search")

func (t *tool) coordinatorCommand() *cobra.Command {
	var f searchFlags
	cmd := t.searches(&f)
	f.cluster = t.Cluster
	cmd.Use, cmd.Short = "coordinator SYSTEM", "search, with walks that workers on other machines take"
	cmd.Long = `coordinator searches as search does, and comes to the same finding and counts for the
same seed. Workers take its walks: each begins by "worker" with the same program. Workers may
come, go and be killed at any time. The coordinator itself does the exhaustive phase, takes
the walks that need a look, and writes what is found. It keeps its state in --state DIR,
and resume goes on with it.

A walk that ends three workers is left out: then the search says that it is incomplete.`
	cmd.Example = `
macemc coordinator randtree --state randtree.state --paths 1000000
macemc worker`
	t.Cluster.Flags(cmd.Flags(), true)
	return cmd
}

// asWorker is the environment variable of a supervised worker.
const asWorker = "MACEMC_WORKER"

func (t *tool) workerCommand() *cobra.Command {
	n := 0
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "take walks of a coordinator's search",
		Long: `worker takes walks of the search that a coordinator has, until it is interrupted. It has to be the
same program as the coordinator, byte for byte: it takes walks of the systems that it contains, and
refuses a search of another build or setting. If a handler ends the process, it is started again.`,
		Args: exactly(0, "worker takes no arguments"),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().IntVar(&n, "workers", 0, "take walks on `N` goroutines (default as many as there are cores)")
	t.Cluster.Flags(cmd.Flags(), false)
	cmd.RunE = func(*cobra.Command, []string) error {
		if n < 0 {
			return usagef("--workers is %d; it must be 1 or more", n)
		}
		if t.args != nil && os.Getenv(asWorker) == "" {
			return t.superviseWorker()
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		if t.args != nil {
			go func() {
				_, _ = os.Stdin.Read(make([]byte, 1)) // end of file: the parent has ended
				t.exit(exitStopped)
			}()
		}
		return t.Cluster.Work(ctx, n, t.takerOf, func(text string) { fmt.Fprintln(t.stderr, "macemc: "+text) })
	}
	return cmd
}

// superviseWorker starts the worker as a process of its own, again each time that it dies.
func (t *tool) superviseWorker() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for {
		cmd := exec.Command(self, t.args...)
		cmd.Env = append(os.Environ(), asWorker+"=1")
		cmd.Stdout, cmd.Stderr = t.stdout, t.stderr
		alive, err := cmd.StdinPipe() // it ends with this process
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ctx.Done():
			_ = cmd.Process.Signal(os.Interrupt)
			<-ended
			return nil
		case err = <-ended:
		}
		alive.Close()
		if code := cmd.ProcessState.ExitCode(); ctx.Err() != nil || code == exitInput {
			t.status = code
			return nil
		}
		fmt.Fprintf(t.stderr, "macemc: the worker's process has ended (%v); another one begins\n", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// takerOf returns a Taker for a job. It refuses a job of another build or setting.
func (t *tool) takerOf(j Job) (*search.Taker, error) {
	build, err := buildHash()
	if err != nil {
		return nil, err
	}
	if j.Build != build {
		return nil, fmt.Errorf("%w: it is of another build (%s) than this program (%s); start the same program everywhere", ErrRefused, j.Build, build)
	}
	if len(j.Args) == 0 || j.Args[0] != "coordinator" {
		return nil, fmt.Errorf("%w: its command line is none of a coordinator", ErrRefused)
	}
	var f searchFlags
	cmd := t.searches(&f)
	t.Cluster.Flags(cmd.Flags(), true)
	if err := cmd.ParseFlags(j.Args[1:]); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	f.out, f.state, f.prefix = os.TempDir(), "", "" // they are the coordinator's
	if err := f.check(cmd); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	name, err := t.one(cmd.Flags().Args(), "a job is of one system")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	sys, opts, err := t.options(name, &f)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	mine, err := t.headerOf(sys, opts)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(mine.Setting, j.Setting) {
		return nil, fmt.Errorf("%w: it is of %s, and here that is %s", ErrRefused, strings.Join(j.Setting, ", "), strings.Join(mine.Setting, ", "))
	}
	opts.Workers = 1
	return search.NewTaker(sys, opts)
}
