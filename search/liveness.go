package search

import "macemc/sim"

// decide settles liveness on an exhausted space, exactly.
func (r *runner) decide(x *explorer, res *Result) error {
	if !r.world.CanBeLive() {
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
	stopped := false
	if failed, err := r.guarded(g.explorer, func() error {
		stopped, err = g.resolve(x)
		return err
	}); err == errHalt {
		stopped = true
	} else if err != nil {
		return err
	} else if failed { // a healed state has no run of its own: walks will find it
		return nil
	}
	switch {
	case g.full:
		return nil // undecided: walks will sample
	case stopped:
		res.Stop = r.why()
		return nil
	}
	if len(g.left) == 0 {
		res.Liveness.State = res.Safety.State
		return nil
	}
	fatal := map[uint32]bool{}
	dead := func(s uint32) bool { return g.dead(x, s) }
	for s := range x.each {
		if s%1024 == 0 && g.halted() {
			res.Stop = r.why()
			return nil
		}
		if !x.outside(s) && dead(s) && x.assumed(s) {
			enough, err := r.proved(x, s, dead, fatal, res)
			if enough || err != nil {
				return err
			}
		}
	}
	res.Liveness.State = res.Safety.State
	return nil
}

// assumed reports whether a state counts for liveness.
func (x *explorer) assumed(s uint32) bool {
	x.get(s, x.to)
	x.w.Load(x.bank, x.to)
	return x.w.Assumed()
}

// proved makes a finding of a dead state, the nearest or one that has another
// critical step, and reports whether that is enough. The critical step is the
// one after which all states of its run are dead; it leads to one of the fatal
// states.
func (r *runner) proved(x *explorer, s uint32, dead func(uint32) bool, fatal map[uint32]bool, res *Result) (enough bool, err error) {
	x.get(s, x.to)
	x.w.Load(x.bank, x.to)
	names, explanations := x.w.NotLive()
	var run []uint32
	for at := s; at != noParent; at = x.origin(at).parent {
		run = append([]uint32{at}, run...)
	}
	critical := 0
	for step, at := range run {
		if !dead(at) {
			critical = step + 1
		}
	}
	failure := sim.Failure{
		Verdict: sim.VerdictDead, Step: r.base() + len(run) - 1, Property: join(names, ", "), Message: join(explanations, "; "),
	}
	if r.several() {
		if fatal[run[critical]] {
			r.findings.alike++
			return false, nil
		}
		fatal[run[critical]] = true
		if !r.worth(&failure) {
			return false, nil
		}
	}
	answers := x.path(s)
	f, err := r.confirm(&answers, x.c, &failure)
	if err != nil {
		return true, err
	}
	if f.Verdict == sim.VerdictDead {
		f.Proved, f.whole = true, true
		if critical > 0 || r.base() == 0 { // else it may be in the prefix: see locate
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
