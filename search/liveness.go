package search

import (
	"iter"

	"macemc/search/internal/closure"
	"macemc/search/internal/explore"
	"macemc/search/internal/run"
	"macemc/sim"
)

// decide settles liveness on an exhausted space, exactly.
func (r *runner) decide(x *explore.Explorer, res *Result) error {
	if !r.World.Judge.CanBeLive() {
		return nil
	}
	r.phase(PhaseLiveness, 0, 0)
	if x.Prints != nil {
		return r.bottoms(x, res)
	}
	g, err := closure.New(&r.owner, x)
	if err != nil {
		return err
	}
	defer g.Close()
	switch bad, err := r.owner.Guarded(g.Taker, func() error { return g.Resolve(x) }); {
	case err == explore.ErrHalt:
		res.Stop = r.Why()
		return nil
	case err == explore.ErrFull: // undecided: walks will sample
		return nil
	case err != nil:
		return err
	case bad != nil: // a healed state has no run of its own: walks will find it
		return nil
	}
	if len(g.Left) == 0 {
		res.Liveness.State = res.Safety.State
		return nil
	}
	if x.Sampled || g.Sampled { // an answer that was not tried may be a way out: walks will sample
		return nil
	}
	d := &deaths{x: x, dead: func(s uint32) bool { return g.Dead(x, s) }, narrow: g.Narrow(), fatal: map[uint32]bool{}}
	for s := range d.nearestFirst(g.Halted) {
		if x.Assumed(s) {
			enough, err := r.proved(d, s, res)
			if enough || err != nil {
				return err
			}
		}
	}
	if r.Stopped() {
		res.Stop = r.Why()
		return nil
	}
	res.Liveness.State = res.Safety.State
	return nil
}

// nearestFirst yields the dead states, those that fewer steps lead to before
// others, until it is to stop. Numbers follow depths, unless several goroutines
// have given them.
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
	narrow bool            // every way out is live: a state that is not dead can recover
	fatal  map[uint32]bool // those that the critical step of a finding led to
}

// proved makes a finding of a dead state, the nearest or one that has another
// critical step, and reports whether that is enough. The critical step is the
// one after which all states of its run are dead, if every way out is live; else
// the run is looked at by itself: see locate.
func (r *runner) proved(d *deaths, s uint32, res *Result) (enough bool, err error) {
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
			r.findings.alike++
			return false, nil
		}
		fatal[states[critical]] = true
		if !r.findings.worth(failure) {
			return false, nil
		}
	}
	answers := x.Path(s)
	f, err := r.confirm(&answers, x.Climate, failure)
	if err != nil {
		return true, err
	}
	if f.Verdict == sim.VerdictDead {
		f.Proved, f.whole = true, true
		if d.narrow && (critical > 0 || r.prefix.base() == 0) { // else see locate: it may be in the prefix
			critical += r.prefix.base()
			f.Critical = &Critical{Step: critical, Exact: true}
			if critical > 0 {
				f.Critical.Event = f.Path.Steps[critical-1].Event.What
			}
			f.Path.Set("critical", f.Critical.Header())
		}
	}
	if r.findings.several() {
		return r.note(f)
	}
	res.Finding, res.Stop = f, StopFound
	return true, nil
}
