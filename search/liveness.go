package search

import (
	"slices"

	"macemc/internal/canon"
	"macemc/sim"
)

// closure is what can still happen once the environment has healed: the healed
// forms of a set of states, and every state that they reach by steps that are
// not rare. On it liveness is decided exactly: a state is dead if its healed
// form reaches no live one.
//
// No edges are kept. A state is alive if it is live, or if a step leads from it
// to one that is; so the states that are not known to be alive are looked at
// again and again, the farthest first, until nothing changes. What is left is
// dead. Each look costs the states' steps once more, which a memo makes cheap.
type closure struct {
	*explorer
	spreading bool        // the states are there: which are alive?
	alive     aliveStates // among them
	most      int         // states; 0: as many as there are
	lost      int         // states that turned out not to be alive
	lives     bool        // a step of the state that is looked at leads to one that is alive

	safety bool        // states are judged by whether they can go on without a violation: see safety.go
	doomed aliveStates // those that cannot
	moves  bool        // the state that is looked at has a step

	unassumed bool // about one run: a state was met that does not count for liveness
}

// aliveStates is a set of states, by number.
type aliveStates []uint64

func (a aliveStates) has(s uint32) bool { return a[s/64]&(1<<(s%64)) != 0 }
func (a aliveStates) add(s uint32)      { a[s/64] |= 1 << (s % 64) }

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
		if err := g.collect(x); err != nil || g.violated != nil {
			return err
		}
		stopped, err = g.spread()
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
	if g.lost == 0 {
		res.Liveness.State = res.Safety.State
		return nil
	}
	fatal := map[uint32]bool{}
	dead := func(s uint32) bool { return g.dead(x, s) }
	for s := range x.each {
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

// newClosure stands before the first healed state. It shares the world and the
// bank of the explorer whose states it heals.
func (r *runner) newClosure(x *explorer) (*closure, error) {
	g := &closure{}
	g.explorer = &explorer{
		r: r, w: x.w, c: x.c, bank: x.bank, inside: true, closure: g, lists: x.lists,
		v: make(sim.Vector, len(x.v)), to: make(sim.Vector, len(x.to)),
	}
	g.step.pulse, g.step.halt = &r.pulse, r.stopped
	if x.memo != nil && r.sys.Weight == nil { // which events are rare, only the world knows
		g.memo = newMemo(g.explorer)
		g.memo.learnFrom(x.memo)
	}
	l, err := newLedger(len(x.v), r.room, nil)
	if err == nil {
		g.entry = l.entry()
	}
	return g, err
}

func (g *closure) close() { g.entry.close() }

// heal makes the healed form of a state the one that is looked up, and returns
// its identity. Healing changes the environment, which is one part of a state.
func (g *closure) heal(x *explorer, s uint32) canon.Hash {
	x.get(s, g.to)
	last := len(g.to) - 1
	g.to[last] = g.bank.Healed(g.w, g.to[last])
	g.pack(g.to)
	return g.sum(g.to)
}

// dead reports whether the healed form of a state reaches no live one.
func (g *closure) dead(x *explorer, s uint32) bool {
	healed, known := g.find(g.heal(x, s))
	return !known || !g.alive.has(healed)
}

// collect finds the healed states and all that they reach.
func (g *closure) collect(x *explorer) error {
	if !x.c.faults && g.most == 0 { // nothing was there to heal: they are these
		l := g.entry.ledger
		g.entry = x.entry
		return l.set.Close()
	}
	for s := range x.each {
		if s%1024 == 0 && g.r.stopped() {
			return errHalt
		}
		if ok, err := g.room(1); err != nil || !ok {
			g.full = true
			return err
		}
		if g.entry.add(g.heal(x, s), origin{}) {
			g.w.Load(g.bank, g.to)
			g.note(g.w.NodesHash(), g.w.InFlight(), nil)
		}
	}
	for s := range g.each {
		if s%1024 == 0 {
			if g.r.at(int(s)); g.r.stopped() {
				return errHalt
			}
		}
		if !g.outside(s) {
			if err := g.expand(s); err != nil || g.full || g.violated != nil {
				return err
			}
		}
		if g.most > 0 && g.set.Len() > g.most {
			g.full = true
			return nil
		}
		if g.memo != nil && s+1 == g.next {
			if err := g.memo.settle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// note looks at the state that was added last: by what is known of its nodes,
// or else in the world, which load brings there.
func (g *closure) note(nodes canon.Hash, flying int, load func()) {
	g.told()
	said, known := g.judged.get(nodes, flying)
	if !known {
		if load != nil {
			load()
		}
		if said = g.judge(); g.most > 0 {
			said = g.judgeOne()
		}
		g.judged.put(g.w.Counted(), nodes, flying, said)
	}
	if g.most > 0 { // one run: it is judged by all that can follow, beyond Within too
		said |= saidInside
	}
	s := g.next - 1
	if said&saidInside == 0 {
		g.block(s).outside.set(s)
	}
	if said&(saidGood|saidInside) != saidInside {
		g.block(s).live.set(s)
	}
}

// judgeOne is judge where it is about one run, and walks are the measure: they
// go on outside System.Within, and become live in live states only. What System.
// Assume leaves out is neither.
func (g *closure) judgeOne() said {
	switch {
	case g.w.Live():
		return saidInside | saidGood
	case g.w.CanBeLive() && !g.w.Assumed():
		g.unassumed = true
	}
	return saidInside
}

// reached looks at the state that a step in the world has led to.
func (g *closure) reached() error {
	if g.safety {
		return g.endured()
	}
	h := g.w.Hash()
	if g.violated = g.w.Failed(); g.violated != nil {
		return nil
	}
	if ok, err := g.room(1); err != nil || !ok {
		g.full = true
		return err
	}
	g.w.Save(g.bank, g.to)
	g.pack(g.to)
	if g.spreading {
		s, known := g.find(h)
		g.lives = g.lives || known && g.alive.has(s)
	} else if g.entry.add(h, origin{}) {
		g.note(g.w.NodesHash(), g.w.InFlight(), nil)
	}
	return nil
}

// spread finds the states that are alive, and reports whether it was stopped.
func (g *closure) spread() (stopped bool, err error) {
	if g.full {
		return false, nil
	}
	g.spreading = true
	g.alive = make(aliveStates, g.end()/64)
	var left []uint32
	for s := range g.each {
		if g.live(s) {
			g.alive.add(s)
		} else {
			left = append(left, s)
		}
	}
	slices.Reverse(left)
	for changed := true; changed; {
		changed = false
		rest := left[:0]
		for i, s := range left {
			if i%1024 == 0 && g.r.stopped() {
				return true, nil
			}
			g.lives = false
			if g.outside(s) { // something was wrong with it: see explorer.wrong
				rest = append(rest, s)
				continue
			}
			if err := g.expand(s); err != nil && err != errAlive || g.violated != nil {
				return false, err
			}
			if !g.lives {
				rest = append(rest, s)
				continue
			}
			changed = true
			g.alive.add(s)
		}
		left = rest
	}
	g.lost = len(left)
	return false, nil
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
