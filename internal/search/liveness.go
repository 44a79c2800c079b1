package search

import (
	"iter"

	"macemc/choose"
	"macemc/internal/search/internal/closure"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// decide decides liveness exactly, if x has visited every state. safety is the answer about safety.
func (r *runner) decide(x *explore.Explorer, safety State) (out outcome, err error) {
	if !r.World.Judge.CanBeLive() {
		return out, nil
	}
	r.gauge.begin(PhaseLiveness, 0, 0)
	if x.Prints != nil {
		return r.bottoms(x)
	}
	g, err := r.recoveries(x)
	if err != nil {
		return out, err
	}
	defer g.Close()
	switch bad, err := r.owner.Guarded(g.Taker, g.resolve); {
	case err == explore.ErrHalt:
		return stopped(r.Why()), nil
	case err == explore.ErrFull: // not decided: walks will take samples
		return out, nil
	case err != nil:
		return out, err
	case bad != nil: // the failure is in a healed state, which has no run of its own: walks will meet it
		return out, nil
	}
	decided := outcome{liveness: Liveness{State: safety}}
	if g.all() {
		return decided, nil
	}
	if x.Sampled || g.Sampled { // an answer that was not tried may lead to recovery: walks will take samples
		return out, nil
	}
	d := &deaths{x: x, dead: g.dead, narrow: g.Narrow(), fatal: map[uint32]bool{}}
	for s := range d.nearestFirst(g.Halted) {
		if x.Assumed(s) {
			if out, enough, err := r.proved(d, s); enough || err != nil {
				return out, err
			}
		}
	}
	if r.Stopped() {
		return stopped(r.Why()), nil
	}
	return decided, nil
}

// recoveries finds out which states can recover, whether the states are in memory or on disk.
type recoveries struct {
	*closure.Closure
	resolve func() error
	all     func() bool         // reports whether every state can recover
	dead    func(s uint32) bool // reports whether state s of the explorer cannot recover
}

func (r *runner) recoveries(x *explore.Explorer) (recoveries, error) {
	if x.OnDisk() {
		d, err := closure.NewDeep(&r.owner, x)
		if err != nil {
			return recoveries{}, err
		}
		return recoveries{d.Closure, d.Resolve, d.AllAlive, d.Dead}, nil
	}
	g, err := closure.New(&r.owner, x)
	return recoveries{
		g, func() error { return g.Resolve(x) }, func() bool { return len(g.Left) == 0 },
		func(s uint32) bool { return !g.Added(s) && g.Dead(x, s) },
	}, err
}

// nearestFirst yields the dead states, those at the smallest depth first, until halted returns
// true. The states are numbered by depth already, unless several goroutines have numbered them;
// only then does it sort them.
func (d *deaths) nearestFirst(halted func() bool) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		var of [][]uint32 // by depth
		for s := range d.x.Each {
			switch {
			case s%1024 == 0 && halted():
				return
			case d.x.Outside(s) || !d.dead(s):
			case d.x.Joint:
				depth := d.x.Away(s)
				for len(of) <= depth {
					of = append(of, nil)
				}
				of[depth] = append(of[depth], s)
			case !yield(s):
				return
			}
		}
		for _, level := range of {
			for _, s := range level {
				if halted() || !yield(s) {
					return
				}
			}
		}
	}
}

// deaths are the dead states of an exhausted space.
type deaths struct {
	x      *explore.Explorer
	dead   func(s uint32) bool
	narrow bool            // every recovery ends in a live state: see Closure.Narrow
	fatal  map[uint32]bool // states to which the critical steps of findings lead
}

// proved makes a finding of dead state s, unless its critical step is that of another finding. It
// reports whether the search then has enough findings. If d.narrow is true, the critical step is
// the one after which all states of the run are dead; otherwise locate finds it.
func (r *runner) proved(d *deaths, s uint32) (out outcome, enough bool, err error) {
	x, fatal := d.x, d.fatal
	x.Get(s, x.To)
	x.World.State.Load(x.Bank, x.To)
	var states []uint32
	for at := s; at != explore.NoParent; at = x.Origin(at).Parent {
		states = append([]uint32{at}, states...)
	}
	critical := 0
	for step, at := range states {
		if !d.dead(at) {
			critical = step + 1
		}
	}
	failure := run.Dead(x.World, r.prefix.base()+len(states)-1)
	if r.findings.several() {
		if fatal[states[critical]] {
			r.findings.another()
			return out, false, nil
		}
		fatal[states[critical]] = true
		if !r.findings.worth(failure) {
			return out, false, nil
		}
	}
	answers := x.Path(s)
	f, err := r.confirm(&answers, x.Climate, failure)
	if err != nil {
		return out, true, err
	}
	if f.Verdict == trace.VerdictDead {
		at := r.prefix.base() + critical
		f.onGraph(at, d.narrow && (critical > 0 || at == 0)) // otherwise locate finds the step, which may be in the prefix
	}
	if r.findings.several() {
		enough, err = r.note(f)
		return out, enough, err
	}
	return found(f), true, nil
}

// onGraph records that the run is proved to be dead, since every state was visited. If known is
// true, critical is its critical step.
func (f *Finding) onGraph(critical int, known bool) {
	f.Proved, f.whole = true, true
	if known {
		f.Critical = criticalStep(f.Path, critical)
		f.Path.Set("critical", f.Critical.Header())
	}
}

// criticalStep returns the step with this number as the critical step, located exactly.
func criticalStep(path *choose.Path, step int) *Critical {
	if step == 0 {
		return &Critical{Exact: true}
	}
	return &Critical{Step: step, Exact: true, Event: path.Steps[step-1].Event.What}
}
