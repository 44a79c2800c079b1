package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"macemc/internal/jobs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"macemc/internal/search"
	"macemc/sim"
)

func (t *tool) coordinatorCommand() *cobra.Command {
	var f searchFlags
	cmd := t.searches(&f)
	f.cluster = t.cluster()
	cmd.Use, cmd.Short = "coordinator SYSTEM", "search, and let workers on other machines take the walks"
	cmd.Long = `coordinator searches as search does, and comes to the same finding and counts for the
same seed. Workers take its walks: start each by "worker" with the same program. Workers may
come, go and be killed at any time. With --shards, they visit the states of the exhaustive
phase, too, and with --engine reference they take its runs; otherwise the coordinator does that
itself. It takes again the walks that need a
closer look, and writes the findings. It starts a worker on its own
machine, too. It keeps its state in --state DIR, and resume goes on with it.

A walk or a state that ends three workers is left out; the search is then reported as incomplete.`
	cmd.Example = `
macemc coordinator randtree --state randtree.state --paths 1000000
macemc worker`
	t.coordinates(cmd, &f)
	return cmd
}

// coordinates adds to cmd, the command coordinator, the flags that search does not have.
func (t *tool) coordinates(cmd *cobra.Command, f *searchFlags) {
	cmd.Flags().BoolVar(&f.noWork, "no-work", false, "leave all walks to other workers (default this process takes walks, too)")
	t.cluster().Flags(cmd.Flags(), true)
}

// asWorker is the environment variable that sets the role of a worker's process.
const (
	asWorker   = "MACEMC_WORKER"
	workerAll  = "1"
	workerLone = "lone" // takes one task: see jobs.Lone

	// workerEnds is the text that the process of a worker prints if it failed in a way in which another process
	// would fail too. An exit status cannot show that, since a handler may end the process with any status.
	workerEnds = "the worker ends"

	goodbye = 3 * time.Second // how long an interrupted worker may take to end
)

// workerRun is one run of the command worker, or of the worker that a coordinator starts on its own
// machine.
type workerRun struct {
	*tool
	workers, memory int // 0 workers means one for each core
}

func (t *tool) workerCommand() *cobra.Command {
	n, memory := 0, ""
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "take walks of a coordinator's search",
		Long: `worker takes walks of a coordinator's search until it is interrupted. It must be the same program as
the coordinator, byte for byte: it takes walks of the systems that it contains, and refuses a search
of another build or setting. If a handler ends the process, worker starts it again.`,
		Args: exactly(0, "worker takes no arguments"),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().IntVar(&n, "workers", 0, "take walks on `N` goroutines (default one for each core)")
	cmd.Flags().StringVar(&memory, "memory", "4GiB", "limit the process that takes walks to this many `bytes`; if it takes more, it is ended and the walk\nthat took them is looked for")
	t.cluster().Flags(cmd.Flags(), false)
	cmd.RunE = func(*cobra.Command, []string) (err error) {
		if n < 0 {
			return usagef("--workers is %d; it must be 1 or more", n)
		}
		most, err := parseBytes(memory)
		if err != nil {
			return usagef("--memory is %q; it must be a number of bytes, as 512MiB or 4GiB, of at least 32MiB", memory)
		}
		w := &workerRun{t, n, most}
		switch role := os.Getenv(asWorker); {
		case role == workerLone:
			return w.takeLone(os.Stdin)
		case t.args != nil && role == "":
			t.status, err = w.run()
			return err
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		if t.args != nil {
			go func() {
				_, _ = os.Stdin.Read(make([]byte, 1)) // end of file: the parent has ended
				t.exit(exitStopped)
			}()
		}
		parent := os.Stdout
		if t.args != nil {
			os.Stdout = os.Stderr // of handlers
		}
		err = t.cluster().Work(ctx, jobs.Hands{
			N: cmp.Or(n, runtime.GOMAXPROCS(0)), Memory: most, Taker: w.takerOf, Remotes: w.remotesOf, Lone: w.lone, Say: func(text string) { fmt.Fprintln(t.stderr, "macemc: "+text) },
		})
		if err != nil && t.args != nil {
			fmt.Fprintln(parent, workerEnds)
		}
		return err
	}
	return cmd
}

// run runs the worker's command line in a process of its own, until it is interrupted, and returns the
// exit status.
func (t *workerRun) run() (status int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return t.supervise(ctx, t.args)
}

// beside starts a worker on the coordinator's machine, by the command worker with the arguments join. The
// worker has a process of its own, so a walk that ends that process does not end the search. end stops it.
func (t *workerRun) beside(join []string) (end func()) {
	args := append([]string{"worker"}, join...)
	if t.workers > 0 {
		args = append(args, "--workers", strconv.Itoa(t.workers))
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if _, err := t.supervise(ctx, args); err != nil {
			t.complain(fmt.Errorf("this machine takes no walks: %w", err))
		}
	}()
	return func() { stop(); <-ended }
}

// process returns a process of a worker in this role, which the caller has to start. The process
// ends when the caller closes the pipe.
func (t *workerRun) process(role string, args []string) (*exec.Cmd, io.WriteCloser, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asWorker+"="+role)
	cmd.Stdout, cmd.Stderr = t.stderr, t.stderr
	in, err := cmd.StdinPipe() // the system closes it when this process ends
	return cmd, in, err
}

// supervise runs a worker in a process of its own, and starts another one each time that process ends,
// until ctx ends, or the worker fails in a way in which another process would fail too: see workerEnds. It
// kills a process that has more memory than allowed.
func (t *workerRun) supervise(ctx context.Context, args []string) (status int, err error) {
	for {
		cmd, alive, err := t.process(workerAll, args)
		if err != nil {
			return 0, err
		}
		said := &bytes.Buffer{}
		cmd.Stdout = said
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		ended, enough := make(chan error, 1), endAbove(cmd.Process, t.memory)
		go func() { err := cmd.Wait(); enough(); ended <- err }()
		select {
		case <-ctx.Done():
			_ = cmd.Process.Signal(os.Interrupt)
			select {
			case <-ended:
			case <-time.After(goodbye):
				_ = cmd.Process.Kill()
				<-ended
			}
			return 0, nil
		case err = <-ended:
		}
		alive.Close()
		if ctx.Err() != nil {
			return 0, nil
		}
		if bytes.HasPrefix(said.Bytes(), []byte(workerEnds)) {
			return exitInput, nil
		}
		fmt.Fprintf(t.stderr, "macemc: the worker's process has ended (%v); another one begins\n", err)
		select {
		case <-ctx.Done():
			return 0, nil
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// endAbove kills a process once it has more than most bytes of memory. It watches until stop is
// called.
func endAbove(p *os.Process, most int) (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if residentBytes(p.Pid) > most {
					_ = p.Kill()
				}
			}
		}
	}()
	return func() { close(done) }
}

// takerOf returns a Taker that takes the walks of job j.
func (t *workerRun) takerOf(j jobs.Job) (*search.Taker, error) {
	sys, opts, err := t.ofJob(j)
	if err != nil {
		return nil, err
	}
	return search.NewTaker(sys, opts)
}

// remotesOf returns a function that makes instances of search.Remote. Each visits states of job j, whose states
// are divided among this number of shards.
func (t *workerRun) remotesOf(j jobs.Job, shards int) (func() (*search.Remote, error), error) {
	sys, opts, err := t.ofJob(j)
	if err != nil {
		return nil, err
	}
	return search.NewRemotes(sys, opts, shards), nil
}

// ofJob returns the system and the options of job j. It refuses a job that was made by another build
// of the program, or with another setting.
func (t *workerRun) ofJob(j jobs.Job) (sys *sim.System, opts search.Options, err error) {
	build, err := buildHash()
	if err != nil {
		return nil, opts, err
	}
	if j.Build != build {
		return nil, opts, fmt.Errorf("%w: it is of another build (%s) than this program (%s); start the same program everywhere", jobs.ErrRefused, j.Build, build)
	}
	if len(j.Args) == 0 || j.Args[0] != "coordinator" {
		return nil, opts, fmt.Errorf("%w: its command line is not that of a coordinator", jobs.ErrRefused)
	}
	var f searchFlags
	cmd := t.searches(&f)
	t.coordinates(cmd, &f)
	if err := cmd.ParseFlags(j.Args[1:]); err != nil {
		return nil, opts, fmt.Errorf("%w: %w", jobs.ErrRefused, err)
	}
	f.out, f.state, f.prefix = os.TempDir(), "", "" // these are folders and files of the coordinator's machine
	if err := f.check(cmd); err != nil {
		return nil, opts, fmt.Errorf("%w: %w", jobs.ErrRefused, err)
	}
	name, err := t.one(cmd.Flags().Args(), "a job is of one system")
	if err != nil {
		return nil, opts, fmt.Errorf("%w: %w", jobs.ErrRefused, err)
	}
	sys, opts, err = t.options(name, &f)
	if err != nil {
		return nil, opts, fmt.Errorf("%w: %w", jobs.ErrRefused, err)
	}
	mine, err := t.headerOf(sys, opts)
	if err != nil {
		return nil, opts, err
	}
	if !slices.Equal(mine.Setting, j.Setting) {
		return nil, opts, fmt.Errorf("%w: the setting of the coordinator is %s, but here the same command line gives %s", jobs.ErrRefused, strings.Join(j.Setting, ", "), strings.Join(mine.Setting, ", "))
	}
	opts.Workers = 1
	return sys, opts, nil
}
