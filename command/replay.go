package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

type replayFlags struct {
	stuck            time.Duration
	all, json, quiet bool
	inProcess        bool
}

func (t *tool) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "replay the path of a finding",
		Long: `replay takes the run of a recorded path again, with every check on, and reports
whether it ends in the same failure. A path that does not apply, because it is of
another system or because the code has changed, is an error that names the step. FILE
is the error.path of a finding, or the folder that holds it.`,
		Args: exactly(1, "replay takes one FILE, the error.path of a finding or its folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.stuck < 0 {
				return usagef("--stuck is %s; it must be 0 (never) or more", f.stuck)
			}
			if f.all && f.quiet {
				return usagef("--all prints all steps, and --quiet none; leave one of them out")
			}
			if t.ofPrograms(args[0]) {
				return t.replayPrograms(args[0], f)
			}
			if k := t.keep(f.inProcess); k != nil {
				return t.replayKept(k, args[0], f)
			}
			return t.replay(args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.DurationVar(&f.stuck, "stuck", 10*time.Second, "report a handler that runs for this `time` without calling Env; 0 means never")
	flags.BoolVar(&f.all, "all", false, "show every step of the run with all of its effects (default the last steps, in short)")
	flags.BoolVar(&f.json, "json", false, "print one JSON object, with every step")
	flags.BoolVar(&f.quiet, "quiet", false, "print only the line that says whether it was reproduced")
	flags.BoolVar(&f.inProcess, "in-process", false, "take the run in this process: a handler that ends the process ends the command")
	return cmd
}

// replayKept takes the path in file name again, in a child. If the path was recorded because it ends
// its process, it counts as reproduced when it ends the child.
func (t *tool) replayKept(k *keeper, name string, f replayFlags) error {
	status, d, answers := k.other()
	t.status = status
	if d == nil {
		return nil
	}
	what, stack := tellDeath(d, 0)
	sys, path, err := t.recorded(name)
	if err != nil {
		return err
	}
	r, err := search.Killed(sys, path, what, stack)
	if err != nil {
		return fmt.Errorf("%s: the service ended the process (%s), and the steps before that could not be recovered: %w", name, what, err)
	}
	r.Reproduced = r.Reproduced && answers >= answersOf(path)
	return t.concludeReplay(path, r, f)
}

// answersOf returns the number of answers in a path.
func answersOf(path *choose.Path) int {
	n := len(path.Start)
	for i := range path.Steps {
		n += 1 + len(path.Steps[i].Coins)
	}
	return n
}

func (t *tool) replay(name string, f replayFlags) error {
	sys, path, err := t.recorded(name)
	if err != nil {
		return err
	}
	opts := search.Options{Stuck: f.stuck, Trail: t.child.kept(), OnStuck: func(r *search.Result) {
		if err := t.concludeReplay(path, stuckReplay(path, r), f); err != nil {
			t.complain(err)
		}
		t.exit(t.ended())
	}}
	r, err := search.Replay(sys, path, opts)
	if err != nil {
		return notTaken(name, err)
	}
	return t.concludeReplay(path, r, f)
}

// notTaken returns the error for a path that cannot be taken again because of err. If the code behaves
// differently now, the error names the files that show the run as it was.
func notTaken(name string, err error) error {
	if far := (*search.NotAsRecorded)(nil); errors.As(err, &far) {
		if was := account.AsRecorded(name); was != "" {
			return fmt.Errorf("%s: %w; %s", name, err, was)
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// concludeReplay reports the result of a replay, and sets the exit status.
func (t *tool) concludeReplay(path *choose.Path, r *search.Replayed, f replayFlags) error {
	t.status = statusOf(r)
	switch {
	case f.json:
		return report.ReplayedJSON(t.stdout, path, r)
	case f.quiet:
		return report.Outcome(t.stdout, path, r)
	default:
		return report.Replayed(t.stdout, path, r, f.all)
	}
}

// statusOf returns the exit status for the result of a replay.
func statusOf(r *search.Replayed) int {
	if r.Reproduced {
		return exitNothing
	}
	return exitFound
}

// stuckReplay returns the result of a replay whose last handler never returned.
func stuckReplay(path *choose.Path, r *search.Result) *search.Replayed {
	word, _ := path.Get("verdict")
	recorded, _ := trace.ParseVerdict(word)
	return &search.Replayed{
		System: r.System, Params: r.Params, Recorded: recorded, Finding: r.Finding,
		Reproduced: recorded == trace.VerdictDivergence && r.Finding.Step == len(path.Steps),
	}
}

// recorded reads a path file, and returns its path and the system to which the path belongs.
func (t *tool) recorded(name string) (*sim.System, *choose.Path, error) {
	path, err := load(name)
	if err != nil {
		return nil, nil, err
	}
	system, ok := path.Get("system")
	if !ok {
		return nil, nil, fmt.Errorf("%s: the path's header names no system", name)
	}
	sys, err := t.find(system)
	if err == nil {
		sys, path, err = t.told(sys, path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return sys, path, nil
}

// load reads a path file. If name is the folder of a finding, it reads the path of that finding.
func load(name string) (*choose.Path, error) {
	if isFolder(name) {
		inside := filepath.Join(name, "error.path")
		if !exists(inside) {
			return nil, fmt.Errorf("%s is a folder without a finding, which would have an error.path; name a path file", name)
		}
		name = inside
	}
	path, err := choose.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s; name the error.path of a finding, or its folder", name)
	}
	return path, err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
