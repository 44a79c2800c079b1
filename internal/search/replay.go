package search

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/decide"
	"macemc/internal/search/internal/run"
	"macemc/internal/setting"
	"macemc/internal/wording"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// Replayed is the result of replaying a recorded path.
type Replayed struct {
	System *sim.System
	Params sim.Params // those of the path's header

	Recorded   trace.Verdict // the verdict in the path's header
	Finding    *Finding      // how the run ended now; its verdict is none if the service did not fail
	Reproduced bool          // the run had the recorded verdict, about the same property
}

// Replay takes a recorded path again, with every check on. It returns an error if the path does not
// apply: it belongs to another system, or the code has changed.
func Replay(sys *sim.System, path *choose.Path, opts Options) (*Replayed, error) {
	opts, recorded, err := recordedOptions(sys, path, opts)
	if err != nil {
		return nil, err
	}
	r, err := newRunner(sys, opts)
	if err != nil {
		return nil, err
	}
	defer r.watch()()
	out := &Replayed{System: sys, Params: r.opts.Params, Recorded: recorded}
	tries := 1
	if recorded == trace.VerdictNondeterminism || recorded == trace.VerdictGoroutine {
		tries = repetitions
	}
	for range tries {
		var returned bool
		if out.Finding, returned, err = run.Apart(func() (*Finding, error) {
			r.here()
			return r.replay(path, recorded)
		}); err != nil {
			return nil, err
		}
		if !returned {
			_, f := r.ended()
			r.Pulse.Rest()
			out.Finding = newFinding(*f, path, nil, climateOf(path))
		}
		if out.Reproduced = same(out.Finding, recorded, path); out.Reproduced {
			break
		}
	}
	return out, nil
}

func same(f *Finding, recorded trace.Verdict, path *choose.Path) bool {
	violates, _ := path.Get("violates")
	return f.Verdict == recorded && (recorded == trace.VerdictDead || f.Property == violates || (recorded == trace.VerdictPanic || recorded == trace.VerdictUnhandled) && violates == "")
}

func (r *runner) replay(path *choose.Path, recorded trace.Verdict) (*Finding, error) {
	t, err := r.NewLockstep(world.Config{Audit: true, Trace: true})
	if err != nil {
		return nil, err
	}
	r.Lockstep = t
	answers := choose.NewReplay(path)
	answers.ByIdentity = r.opts.ByIdentity
	c := climateOf(path)
	taken := choose.NewRecord(answers) // by identity, the answers may have other numbers now
	again := run.Repeat(taken, c, len(path.Steps))
	again.See, again.Stop = r.opts.See, r.told
	want := trace.Failure{Verdict: recorded, Step: len(path.Steps)}
	want.Property, _ = path.Get("violates")
	if want.Repeats, err = repeatsFrom(path); err != nil {
		return nil, err
	}
	watch := newLooping(&want, c)
	if recorded == trace.VerdictHot {
		again.See = func(w *world.World) {
			watch.see(w)
			if r.opts.See != nil {
				r.opts.See(w)
			}
		}
	}
	end, failure, w := r.Run(again, true)
	if failure != nil && again.See != nil {
		seeFailed(w, again.See)
	}
	steps := *w.Run.Trace() // walks from the end may be taken in this world
	as := func(failure trace.Failure) *Finding { return newFinding(failure, path, &steps, c) }
	var diverged *choose.Divergence
	switch {
	case failure != nil:
		f := as(*failure)
		if f.Verdict == trace.VerdictNondeterminism {
			countOutcomes(&r.Runs, f)
		}
		if same(f, recorded, path) {
			f.asRecorded()
		}
		return f, nil
	case end == run.EndStopped && errors.As(w.Run.Err(), &diverged):
		if recorded != trace.VerdictNondeterminism {
			return nil, &NotAsRecorded{w.Run.Steps(), fmt.Errorf("%w; %s", diverged, changed)}
		}
		return as(*w.Run.Failure(trace.VerdictNondeterminism, diverged.Error())), nil
	case end == run.EndStopped && !errors.Is(w.Run.Err(), choose.ErrEnd):
		return nil, w.Run.Err()
	case !answers.Done() && r.told():
		return nil, ErrStopped
	case !answers.Done():
		return nil, &NotAsRecorded{w.Run.Steps(), fmt.Errorf("the run ended after %d of the path's %d steps, where no event is possible any more: the code has changed since the path was recorded",
			w.Run.Steps(), len(path.Steps))}
	}
	if state, ok := path.Get("state"); ok && !r.opts.ByIdentity && state != w.State.Recorded().String() {
		return nil, &NotAsRecorded{w.Run.Steps(), fmt.Errorf("every choice of the path was possible, but it ends in state %s, and %s was recorded: the code has changed since",
			w.State.Recorded(), state)}
	}
	if recorded == trace.VerdictHot && watch.holds() {
		f := as(want)
		f.loops(watch)
		f.asRecorded()
		return f.isProved(), nil
	}
	f := as(trace.Failure{Step: w.Run.Steps()})
	if recorded != trace.VerdictDead || !w.Judge.CanBeLive() || w.Judge.Live() || !w.Judge.Assumed() {
		return f, nil
	}
	dead := run.Dead(w, f.Step)
	if quiet := end == run.EndQuiet || w.Events.Settled(); quiet || r.opts.AsRecorded {
		f.isDead(dead, &decide.Result{Proved: quiet})
		return f, nil
	}
	return r.replayDead(f, newFinding(trace.Failure{}, taken.Path(), nil, c), dead)
}

// told reports whether the caller stopped the search.
func (r *runner) told() bool { return r.opts.Stop != nil && r.opts.Stop() != "" }

// isDead makes f the finding of a dead run. dead is the failure; res says at which step the run
// became dead.
func (f *Finding) isDead(dead *trace.Failure, res *decide.Result) {
	f.Failure, f.Proved, f.Evidence = *dead, res.Proved, res.Evidence
	f.asRecorded()
}

// asRecorded sets the critical step from the path's header.
func (f *Finding) asRecorded() { f.Critical, _ = recordedCritical(f.Path) }

// NotAsRecorded is the error of a replay in which the code did not do what it did when the path was
// recorded.
type NotAsRecorded struct {
	Steps int // steps that could be taken
	Err   error
}

func (e *NotAsRecorded) Error() string { return e.Err.Error() }

// Unwrap returns the error that describes the difference.
func (e *NotAsRecorded) Unwrap() error { return e.Err }

// changed says why a path may not apply any more.
const changed = "the code, or a setting that the path's header names (nodes, param, bug, faults), has changed since the path was recorded"

// seeFailed calls see with the state in which a run failed, since the loop does not pass that state
// to the strategy. If see panics, because the service has left values in the state that cannot be
// shown, seeFailed returns without another effect.
func seeFailed(w *world.World, see func(*world.World)) {
	defer func() {
		if text, ok := recover().(string); ok && strings.HasPrefix(text, "macemc bug:") {
			panic(text)
		}
	}()
	see(w)
}

// replayDead decides, as a search does, whether a run that was recorded as dead ends in a dead state
// now. If it does, replayDead sets the failure of f to dead, and otherwise it returns f unchanged or
// another failure that it met. taken is the run as this replay has taken it.
func (r *runner) replayDead(f, taken *Finding, dead *trace.Failure) (*Finding, error) {
	taken.Path.Header = f.Path.Header
	return r.looked(taken.take, math.MaxInt/4, func(lab *Lab, of *Case, d *decide.Finder) (*Finding, error) {
		res, err := d.End()
		if errors.Is(err, decide.ErrAlive) {
			if other, err := r.besides(lab, of, d); other != nil || err != nil {
				return other, err
			}
			return f, nil
		}
		if err != nil {
			return nil, err
		}
		f.isDead(dead, res)
		return f, r.blameSlow(f)
	})
}

// recordedCritical returns the critical step that a path's header names, or nil.
func recordedCritical(path *choose.Path) (*Critical, error) {
	text, ok := path.Get("critical")
	if !ok {
		return nil, nil
	}
	number, exact := strings.CutSuffix(text, decide.Exactly)
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > len(path.Steps) {
		return nil, fmt.Errorf("the path's header says critical: %q; it must be one of its %d steps, or 0", text, len(path.Steps))
	}
	c := &Critical{Step: n, Exact: exact}
	if n > 0 {
		c.Event = path.Steps[n-1].Event.What
	}
	return c, nil
}

// outcomeKeys are the header keys that record the result of a run.
var outcomeKeys = []string{"seed", "verdict", "violates", "state", "critical", "repeats", "walk"}

// checkHeader rejects headers with keys that this version does not know, or with contradictions.
func checkHeader(path *choose.Path) error {
	for i, f := range path.Header {
		repeats := slices.Contains(setting.Repeated, f.Key)
		if !repeats && !setting.Describes(f.Key) && !slices.Contains(outcomeKeys, f.Key) {
			known := slices.Concat(setting.Repeated, setting.Single, outcomeKeys)
			return fmt.Errorf("the path's header says %s: %q, which this version does not know; it knows %s", f.Key, f.Value, strings.Join(known, ", "))
		}
		if !repeats && slices.ContainsFunc(path.Header[:i], func(g choose.Field) bool { return g.Key == f.Key }) {
			return fmt.Errorf("the path's header says %s twice; leave one of them", f.Key)
		}
	}
	if text, ok := path.Get("state"); ok {
		digits := len(canon.Hash{}.String())
		if _, err := hex.DecodeString(text); err != nil || len(text) != digits {
			return fmt.Errorf("the path's header says state: %q, which is no state; a state is %d hexadecimal digits", text, digits)
		}
	}
	if _, err := repeatsFrom(path); err != nil {
		return err
	}
	_, err := recordedCritical(path)
	return err
}

// climateOf returns the climate of a recorded run: whether it has faults, and when the environment
// heals.
func climateOf(path *choose.Path) run.Climate {
	c := run.Fair
	_, c.Faults = path.Get("faults")
	for i, s := range path.Steps {
		if wording.Identify(s.Event.What).Kind == sim.KindHeal {
			c.Heal = i
			break
		}
	}
	return c
}

// recordedOptions returns the options that a path's header sets, and the verdict that it records.
func recordedOptions(sys *sim.System, path *choose.Path, opts Options) (Options, trace.Verdict, error) {
	s, err := setting.Parse(sys, path)
	if err != nil {
		return opts, 0, err
	}
	if err := checkHeader(path); err != nil {
		return opts, 0, err
	}
	opts.Params, opts.Conditions = s.Params, s.Conditions
	if text, ok := path.Get("seed"); ok {
		if opts.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return opts, 0, fmt.Errorf("the path's header says seed: %q, which is no number", text)
		}
	}
	text, ok := path.Get("verdict")
	if !ok {
		return opts, trace.VerdictNone, nil
	}
	verdict, known := trace.ParseVerdict(text)
	if !known {
		return opts, 0, fmt.Errorf("the path's header says verdict: %q, which this version does not know", text)
	}
	return opts, verdict, nil
}
