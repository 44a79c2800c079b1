package search

import (
	"iter"

	"macemc/sim"
)

// decide settles liveness on an exhausted space, exactly.
func (r *runner) decide(x *explorer, res *Result) error {
	if !r.World.CanBeLive() {
		return nil
	}
	r.phase(PhaseLiveness, 0, 0)
	if x.prints != nil {
		return r.bottoms(x, res)
	}
	g, err := r.newClosure(x)
	if err != nil {
		return err
	}
	defer g.close()
	switch bad, err := r.guarded(g.taker, func() error { return g.resolve(x) }); {
	case err == errHalt:
		res.Stop = r.Why()
		return nil
	case err == errFull: // undecided: walks will sample
		return nil
	case err != nil:
		return err
	case bad != nil: // a healed state has no run of its own: walks will find it
		return nil
	}
	if len(g.left) == 0 {
		res.Liveness.State = res.Safety.State
		return nil
	}
	d := &deaths{x: x, dead: func(s uint32) bool { return g.dead(x, s) }, narrow: g.narrow(), fatal: map[uint32]bool{}}
	for s := range d.nearestFirst(g.halted) {
		if x.assumed(s) {
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
		for s := range d.x.each {
			switch {
			case s%1024 == 0 && halted():
				return
			case d.x.outside(s) || !d.dead(s):
			case d.x.joint:
				depth := d.x.away(s)
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

// away is how many steps lead to a state.
func (x *explorer) away(s uint32) (n int) {
	for s = x.origin(s).parent; s != noParent; s = x.origin(s).parent {
		n++
	}
	return n
}

// assumed reports whether a state counts for liveness.
func (x *explorer) assumed(s uint32) bool {
	x.get(s, x.to)
	x.w.Load(x.bank, x.to)
	return x.w.Assumed()
}

// deaths are the dead states of an exhausted space.
type deaths struct {
	x      *explorer
	dead   func(s uint32) bool
	narrow bool            // every way out is live: a state that is not dead can recover
	fatal  map[uint32]bool // those that the critical step of a finding led to
}

// narrow reports whether no state that is not live was counted as a way out: one
// outside System.Within, of which nothing more is known, or outside System.Assume.
// That nothing is beyond what is dead holds all the same. But a state from which
// only such a one can be reached need not be able to recover.
func (g *closure) narrow() bool {
	sys := g.r.Sys
	if sys.Within.IsZero() && sys.Assume.IsZero() {
		return true
	}
	for s := range g.each {
		if !g.live(s) {
			continue
		}
		g.get(s, g.to)
		g.w.Load(g.bank, g.to)
		if !g.w.Live() {
			return false
		}
	}
	return true
}

// proved makes a finding of a dead state, the nearest or one that has another
// critical step, and reports whether that is enough. The critical step is the
// one after which all states of its run are dead, if every way out is live; else
// the run is looked at by itself: see locate.
func (r *runner) proved(d *deaths, s uint32, res *Result) (enough bool, err error) {
	x, fatal := d.x, d.fatal
	x.get(s, x.to)
	x.w.Load(x.bank, x.to)
	var states []uint32
	for at := s; at != noParent; at = x.origin(at).parent {
		states = append([]uint32{at}, states...)
	}
	critical := 0
	for step, at := range states {
		if !d.dead(at) {
			critical = step + 1
		}
	}
	failure := dead(x.w, r.base()+len(states)-1)
	if r.several() {
		if fatal[states[critical]] {
			r.findings.alike++
			return false, nil
		}
		fatal[states[critical]] = true
		if !r.worth(failure) {
			return false, nil
		}
	}
	answers := x.path(s)
	f, err := r.confirm(&answers, x.c, failure)
	if err != nil {
		return true, err
	}
	if f.Verdict == sim.VerdictDead {
		f.Proved, f.whole = true, true
		if d.narrow && (critical > 0 || r.base() == 0) { // else see locate: it may be in the prefix
			critical += r.base()
			f.Critical = &Critical{Step: critical, Exact: true}
			if critical > 0 {
				f.Critical.Event = f.Path.Steps[critical-1].Event.What
			}
			f.Path.Set("critical", f.Critical.Header())
		}
	}
	if r.several() {
		return r.note(f)
	}
	res.Finding, res.Stop = f, StopFound
	return true, nil
}
