package command

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/critical"
	"macemc/internal/finding"
	"macemc/internal/recording"
	"macemc/internal/report"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// explain finds the critical step of each finding, and shrinks its run. If it is stopped, the finding on
// which it is working stays as it was.
func (t *tool) explain(r *search.Result, f searchFlags, p *progress, ends *ending) error {
	if f.noCritical && f.noShrink {
		return nil
	}
	began, spent := time.Now(), search.Processor()
	opts := f.critical(r.Options, p, ends.why).For(r)
	for i := range r.Findings {
		opts.Search.OnStuck = func(stuck *search.Result) {
			p.clear()
			if stuck.Finding != nil { // else it was to stop, and could not
				r.Findings = append(r.Findings, stuck.Finding)
			}
			t.conclude(r, f, ends.late.Load)
			t.exit(t.ended())
		}
		explain := func() (*critical.Result, error) { return critical.Explain(r.System, r.Findings[i], opts, !f.noShrink) }
		if f.noCritical {
			explain = func() (*critical.Result, error) { return critical.Shrink(r.System, r.Findings[i], opts) }
		}
		c, err := explain()
		if err != nil {
			return err
		}
		r.Replace(i, c.Finding)
		for _, other := range c.Others {
			if !r.Options.Ignores(&other.Failure) {
				r.Add(other)
			}
		}
	}
	if len(r.Findings) > 0 {
		r.Measured.Look(time.Since(began), search.Processor()-spent)
	}
	return nil
}

// critical returns the options with which a finding is analyzed, after a search with the options
// opts.
func (f searchFlags) critical(opts search.Options, p *progress, stop func() search.Stop) critical.Options {
	return critical.Options{
		Search: search.Options{
			EvidenceWalks: opts.EvidenceWalks, WalkSteps: opts.WalkSteps, MaxWalkSteps: opts.MaxWalkSteps, Walking: opts.Walking,
			Memory: opts.Memory, Workers: opts.Workers, Stuck: opts.Stuck, OnStuck: opts.OnStuck, OnSlow: opts.OnSlow, Trail: opts.Trail, Stop: stop,
		},
		Progress: p.looking,
	}
}

// lookFlags are the flags of critical and shrink.
type lookFlags struct {
	walks, walkSteps, maxWalkSteps int
	any                            bool
	time, stuck                    time.Duration
	workers                        int
	out                            string
	json, quiet                    bool
}

func (f *lookFlags) flags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.IntVar(&f.walks, "evidence-walks", 0, "call a run dead if none of at least `K` fresh walks recovers (default 60)")
	flags.IntVar(&f.walkSteps, "walk-steps", 0, "take walks of up to `N` steps (default 10,000); most are shorter")
	flags.IntVar(&f.maxWalkSteps, "max-walk-steps", 0, "make walks longer, up to `N` steps, where recoveries are slow (default eight times --walk-steps)")
	flags.DurationVar(&f.stuck, "stuck", 10*time.Second, "report a handler that runs for this `time` without calling Env; 0 means never")
	flags.IntVar(&f.workers, "workers", 0, "take walks and visit states on `N` goroutines (default one for each core)")
	flags.StringVar(&f.out, "out", "macemc-findings/", "write the results into `DIR`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
}

func (f *lookFlags) check(cmd *cobra.Command) error {
	for _, n := range []struct {
		name  string
		value int
	}{{"evidence-walks", f.walks}, {"walk-steps", f.walkSteps}, {"max-walk-steps", f.maxWalkSteps}, {"workers", f.workers}} {
		if cmd.Flags().Changed(n.name) && n.value < 1 {
			return usagef("--%s is %d; it must be 1 or more", n.name, n.value)
		}
	}
	if err := longEnough(f.maxWalkSteps, f.walkSteps); err != nil {
		return err
	}
	if f.stuck < 0 {
		return usagef("--stuck is %s; it must be 0 (never) or more", f.stuck)
	}
	if f.time < 0 {
		return usagef("--time is %s; it must be more than 0", f.time)
	}
	return writable("out", f.out, f.out)
}

func longEnough(most, steps int) error {
	if steps = cmp.Or(steps, 10_000); most > 0 && most < steps {
		return usagef("--max-walk-steps is %d, less than --walk-steps, which is %d", most, steps)
	}
	return nil
}

// lookRun is one run of the command critical or shrink.
type lookRun struct {
	*tool
	f lookFlags
}

func (t *tool) criticalCommand() *cobra.Command {
	var f lookFlags
	cmd := &cobra.Command{
		Use:   "critical FILE",
		Short: "find the step that made recovery impossible, and the nearest live run",
		Long: `critical takes the recorded path of a finding, or the error.path in its folder,
and finds the last step before which the run could recover, and after which it could
not: exactly if the states that can follow are few enough to be visited, else by random
walks. For a violation of safety it finds the step after which the violation could no
longer be avoided. For a recorded run that ended without being live, as runs of live
nodes may, it decides whether the run is dead, with at most two million steps. It writes
a folder of its own below DIR: the path with its critical step, the nearest live path
as live.path, and a report.`,
		Args: exactly(1, "critical takes one FILE, the error.path of a finding or its folder"),
		RunE: t.looks(&f, critical.Find),
	}
	f.flags(cmd.Flags())
	return cmd
}

func (t *tool) shrinkCommand() *cobra.Command {
	var f lookFlags
	cmd := &cobra.Command{
		Use:   "shrink FILE",
		Short: "make the run of a finding shorter",
		Long: `shrink takes the recorded path of a finding, or the error.path in its folder, and
removes steps, faults and nodes from its run as long as the run fails in the same way.
It keeps the critical event, but not its values, unless --any is given. The shorter path
gets a folder of its own below DIR, as a finding of a search does; the original path is there as
found.path.`,
		Args: exactly(1, "shrink takes one FILE, the error.path of a finding or its folder"),
		RunE: t.looks(&f, func(sys *sim.System, of *search.Finding, opts critical.Options) (*critical.Result, error) {
			return critical.Explain(sys, of, opts, true)
		}),
	}
	f.flags(cmd.Flags())
	cmd.Flags().BoolVar(&f.any, "any", false, "let another event become the critical one")
	cmd.Flags().DurationVar(&f.time, "time", 0, "remove no more steps after this `time`, as 10m (default after the time of 2.5 million steps)")
	return cmd
}

// looking is the analysis that the command critical or shrink makes of a finding.
type looking func(*sim.System, *search.Finding, critical.Options) (*critical.Result, error)

// looks returns the function that executes critical or shrink: it takes a recorded path again, and calls
// into to analyze the run. It does so in a child, or in this process if there can be no child.
func (t *tool) looks(f *lookFlags, into looking) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		if err := f.check(cmd); err != nil {
			return err
		}
		if k := t.keep(false); k != nil {
			status, d, _ := k.other()
			if t.status = status; d != nil {
				err = fmt.Errorf("%s: the service ended the process of a run (%s); search finds such a run, with the verdict killed", args[0], how(d))
			}
			return err
		}
		t.shelf = finding.NewShelf(f.out)
		t.status, err = (&lookRun{t, *f}).run(args[0], into)
		return err
	}
}

// endedEffort is the Options.Effort with which a run is analyzed that ended without being live, though its
// path does not say that it is dead. The analysis then takes a minute or less.
const endedEffort = 2_000_000

// run takes the recorded path again, calls into to analyze its run, and returns the exit status.
func (t *lookRun) run(name string, into looking) (status int, err error) {
	name = insideFolder(name)
	if t.ofPrograms(name) {
		return exitInput, fmt.Errorf("%s is a run of programs with goroutines: search has made it shorter, and its report.md has the critical step", name)
	}
	sys, path, err := t.recorded(name)
	if err != nil {
		return exitInput, err
	}
	if v, _ := path.Get("verdict"); v == trace.VerdictKilled.String() {
		return exitInput, fmt.Errorf("%s: the recorded run ends its process, so it cannot be analyzed; replay takes it once", name)
	}
	p := t.progress(t.f.quiet)
	ends, ignore := t.interrupts(p, 0)
	defer ignore()
	until := time.Now().Add(t.f.time)
	opts := critical.Options{
		Search: search.Options{EvidenceWalks: t.f.walks, WalkSteps: t.f.walkSteps, MaxWalkSteps: t.f.maxWalkSteps, Workers: t.f.workers, Stop: ends.why, Stuck: t.f.stuck},
		From:   &search.Result{System: sys}, // one lab for all that is asked about the finding
		Any:    t.f.any, Progress: p.looking,
		Enough: func() bool { return t.f.time > 0 && time.Now().After(until) },
	}
	opts.Search.OnStuck = func(stuck *search.Result) {
		p.clear()
		status, err := t.concludeStuck(path, stuck)
		if err != nil {
			t.complain(err)
		}
		t.endWith(status)
	}
	replay, live, lasting, seen := opts.Search, false, false, new(recording.Recording)
	replay.AsRecorded = true // the analysis decides how the run ends
	replay.See = func(w *world.World) {
		seen.See(w)
		lasting = w.Judge.CanBeLive()
		live = lasting && w.Judge.Live()
	}
	again, err := search.Replay(sys, path, replay)
	if err == nil && again.Finding.Verdict == trace.VerdictNone && lasting && !live {
		// The run ended without being live, as a run of live nodes may. Only a path with the verdict dead is
		// analyzed for whether it can recover, so this path gets that verdict.
		path.Set("verdict", trace.VerdictDead.String())
		opts.Effort, seen = endedEffort, new(recording.Recording)
		again, err = search.Replay(sys, path, replay)
	}
	if err != nil {
		return exitInput, notTaken(name, err)
	}
	if again.Finding.Verdict == trace.VerdictNone {
		p.clear()
		if t.f.json {
			r := &search.Result{System: again.System, Params: again.Params, Finding: again.Finding}
			return exitFound, report.LookedJSON(t.stdout, path, r, report.LookHarmless)
		}
		return exitFound, report.Harmless(t.stdout, path, again, live)
	}
	c, err := into(sys, again.Finding, opts)
	p.clear()
	if err != nil {
		return exitInput, fmt.Errorf("%s: %w", name, err)
	}
	r := opts.From.About(again.Params, c.Finding)
	r.Options.Properties = path.All("property")
	for _, other := range c.Others {
		r.Add(other)
	}
	return t.conclude(path, r, c, seen, ends)
}

// conclude writes the analyzed findings into new folders, reports the result of the analysis, and returns
// the exit status.
func (t *lookRun) conclude(path *choose.Path, r *search.Result, c *critical.Result, seen *recording.Recording, ends *ending) (status int, err error) {
	how := report.LookDone
	var all []*account.Account
	switch {
	case c.Alive:
		how, status = report.LookAlive, exitFound
	case c.Stopped:
		how, status = report.LookStopped, exitStopped
	}
	if how != report.LookAlive {
		all = account.AllBy(r, account.Means{Stop: ends.late.Load})
		if r.Finding.Path == path && seen != nil && seen.Steps() >= 0 { // it is the run that was taken
			all[0].Saw(seen)
		}
		for _, a := range all {
			if err := t.shelf.Write(a, r, t.commands); err != nil {
				t.complain(err)
				status = exitInput // there is no folder, and that is what this command makes
			}
		}
	}
	if t.f.json {
		return status, report.LookedJSON(t.stdout, path, r, how, all...)
	}
	return status, report.Looked(t.stdout, r, how, all...)
}

// concludeStuck reports that a handler never returned during the analysis, and returns the exit status.
func (t *lookRun) concludeStuck(path *choose.Path, stuck *search.Result) (status int, err error) {
	again := stuckReplay(path, stuck)
	if t.f.json {
		return statusOf(again), report.LookedJSON(t.stdout, path, stuck, report.LookStuck)
	}
	return statusOf(again), report.Replayed(t.stdout, path, again, false)
}

// insideFolder returns the path file inside name, if name is the folder of a finding, or else name itself.
func insideFolder(name string) string {
	if inside := filepath.Join(name, "error.path"); exists(inside) {
		return inside
	}
	return name
}
