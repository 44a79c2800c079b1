package search

import (
	"slices"

	"macemc/internal/canon"
	"macemc/internal/world"
)

// closure is what can still happen once the environment has healed: the healed
// forms of a set of states, and what they reach by steps that are not rare. On
// it liveness is decided exactly: a state is dead if its healed form reaches no
// live one.
//
// That a state is alive takes one run to show; that it is dead takes all of them.
// So what is live is not gone beyond, and the rest is first tried with patience:
// a timer waits until nothing is under way to its node or from it. Few states are
// reached so, and from most of them a live one is. From those that are left every
// step is taken, and what they lead to is tried with patience again, until nothing
// comes up that is new.
//
// No edges are kept but that by which a state was reached first. A state is alive
// if it is live, or if a step leads from it to one that is; so the states that are
// not known to be alive are looked at again and again, the farthest first, until
// nothing changes. Each look costs the states' steps once more, which a memo makes
// cheap.
type closure struct {
	*explorer
	spreading bool     // the states are there: which are alive?
	patient   bool     // timers wait while anything is under way to or from their node
	alive     stateSet // among them
	left      []uint32 // not known to be alive, the farthest first
	opened    stateSet // of those, every step was taken
	most      int      // states; 0: as many as there are
	tree      bool     // the step by which a state was reached first is one that may be taken
	lives     bool     // a step of the state that is looked at leads to one that is alive

	safety bool     // states are judged by whether they can go on without a violation: see safety.go
	doomed stateSet // those that cannot
	moves  bool     // the state that is looked at has a step

	unassumed bool // about one run: a state was met that does not count for liveness
}

// stateSet is a set of states, by number.
type stateSet []uint64

func (a stateSet) has(s uint32) bool { return int(s/64) < len(a) && a[s/64]&(1<<(s%64)) != 0 }
func (a stateSet) add(s uint32)      { a[s/64] |= 1 << (s % 64) }

// upTo makes room for the states below end.
func (a *stateSet) upTo(end uint32) {
	if n := int(end+63) / 64; n > len(*a) {
		*a = append(*a, make([]uint64, n-len(*a))...)
	}
}

// newClosure stands before the first healed state. It shares the world and the
// bank of the explorer whose states it heals.
func (r *runner) newClosure(x *explorer) (*closure, error) {
	g := &closure{}
	g.explorer = &explorer{
		r: r, w: x.w, c: x.c, bank: x.bank, inside: true, closure: g, lists: x.lists,
		v: make(world.Vector, len(x.v)), to: make(world.Vector, len(x.to)),
	}
	g.step.pulse, g.step.halt = &r.pulse, r.stopped
	if x.memo != nil && r.sys.Weight == nil { // which events are rare, only the world knows
		g.memo = newMemo(g.explorer)
		g.memo.learnFrom(x.memo)
	}
	l, err := r.newLedger(len(x.v), nil)
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

// halted reports whether it is to stop, and tells the monitor that it goes on: it
// may look up what it needs for long, and run no handler.
func (g *closure) halted() bool {
	g.r.pulse.tick()
	return g.r.stopped()
}

// healAll adds the healed states.
func (g *closure) healAll(x *explorer) error {
	for s := range x.each {
		if s%1024 == 0 && g.halted() {
			return errHalt
		}
		if ok, err := g.room(1); err != nil || !ok {
			g.full = true
			return err
		}
		if g.entry.add(g.heal(x, s), origin{parent: noParent}) {
			g.w.Load(g.bank, g.to)
			g.note(g.w.NodesHash(), g.w.InFlight(), nil)
		}
	}
	return nil
}

// gather adds what is reached from the states from one on, beyond those that wants
// tells, by the steps that may be taken now.
func (g *closure) gather(from uint32, wants func(s uint32) bool) error {
	for s := range g.each {
		if s < from {
			continue
		}
		if err := g.open(s, wants(s)); err != nil || g.full || g.violated != nil {
			return err
		}
		if s+1 == g.next {
			if err := g.settle(); err != nil || g.full {
				return err
			}
		}
	}
	return nil
}

// settle adds what the memo has not looked up yet.
func (g *closure) settle() error {
	if g.memo == nil {
		return nil
	}
	return g.memo.settle()
}

// open adds what the steps of a state lead to, if it is wanted.
func (g *closure) open(s uint32, wanted bool) error {
	if s%1024 == 0 {
		if g.r.at(int(s)); g.halted() {
			return errHalt
		}
	}
	if wanted && !g.outside(s) {
		if err := g.expand(s); err != nil || g.full || g.violated != nil {
			return err
		}
	}
	g.full = g.full || g.most > 0 && g.set.Len() > g.most
	return nil
}

// resolve finds the healed states, and which of them are alive. It reports
// whether it was stopped.
func (g *closure) resolve(x *explorer) (stopped bool, err error) {
	if !x.c.faults && g.most == 0 { // nothing was there to heal: they are these
		l := g.entry.ledger
		g.entry, g.tree = x.entry, g.r.sys.Weight == nil
		if err := l.set.Close(); err != nil {
			return false, err
		}
		return g.spread()
	}
	g.tree = true
	if err := g.healAll(x); err != nil || g.full || g.violated != nil {
		return false, err
	}
	for from := uint32(0); ; {
		g.patient = true
		if err := g.gather(from, func(s uint32) bool { return !g.live(s) && !g.opened.has(s) }); err != nil || g.full || g.violated != nil {
			return false, err
		}
		if stopped, err := g.spread(); stopped || err != nil || g.violated != nil {
			return stopped, err
		}
		g.patient = false
		if from = g.next; len(g.left) == 0 {
			return false, nil
		}
		if err := g.impatient(from); err != nil || g.full || g.violated != nil {
			return false, err
		}
		if stopped, err := g.spread(); stopped || err != nil || g.violated != nil || g.next == from {
			return stopped, err
		}
	}
}

// impatient takes every step from the states that are left, and, so that there
// are few rounds where patience is no help, from as many of the new ones, which
// are those from one on, as there were states.
func (g *closure) impatient(from uint32) error {
	open := func(s uint32) error {
		g.opened.upTo(g.end())
		g.opened.add(s)
		return g.open(s, true)
	}
	for _, s := range g.left {
		if !g.opened.has(s) {
			if err := open(s); err != nil || g.full || g.violated != nil {
				return err
			}
		}
	}
	if err := g.settle(); err != nil || g.full {
		return err
	}
	for s := from; s < min(g.next, 2*from); s++ {
		if g.holds(s) && !g.live(s) {
			if err := open(s); err != nil || g.full || g.violated != nil {
				return err
			}
		}
		if s+1 == g.next {
			if err := g.settle(); err != nil || g.full {
				return err
			}
		}
	}
	return g.settle()
}

// passes reports whether the k-th event of the world is one that is not taken now.
// On another exploration than a closure's, none is.
func (g *closure) passes(k int) bool {
	return g != nil && (g.w.Rare(k) || g.patient && g.w.Hasty(k))
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
	} else if g.entry.add(h, origin{parent: g.current}) {
		g.note(g.w.NodesHash(), g.w.InFlight(), nil)
	}
	return nil
}

// spread finds the states that are alive, by the steps that may be taken now,
// and reports whether it was stopped.
func (g *closure) spread() (stopped bool, err error) {
	if g.full {
		return false, nil
	}
	g.spreading = true
	defer func() { g.spreading = false }()
	g.alive.upTo(g.end())
	g.left = g.left[:0]
	for s := range g.each {
		if g.live(s) && !g.alive.has(s) {
			g.lift(s)
		}
	}
	for s := range g.each {
		if !g.alive.has(s) {
			g.left = append(g.left, s)
		}
	}
	slices.Reverse(g.left)
	for changed := true; changed; {
		changed = false
		rest := g.left[:0]
		for i, s := range g.left {
			if i%1024 == 0 && g.halted() {
				return true, nil
			}
			if g.alive.has(s) {
				continue
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
			g.lift(s)
		}
		g.left = rest
	}
	return false, nil
}

// lift makes a state alive, and those by which it was reached first.
func (g *closure) lift(s uint32) {
	g.alive.add(s)
	for g.tree {
		if s = g.origin(s).parent; s == noParent || g.alive.has(s) {
			return
		}
		g.alive.add(s)
	}
}
