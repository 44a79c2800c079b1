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
//
// While the states are gathered, and while those that are alive spread, steps lead
// to different visitors.
type closure struct {
	*taker
	stepper
	judged judged   // what was said of states
	alive  stateSet // among them
	left   []uint32 // not known to be alive, the farthest first
	opened stateSet // of those, every step was taken
	most   int      // states; 0: as many as there are
	tree   bool     // the step by which a state was reached first is one that may be taken
	lives  bool     // a step of the state that is looked at leads to one that is alive

	doomed stateSet // states that cannot go on without a violation: see safety.go
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
	l, err := r.newLedger(len(x.v), nil)
	if err != nil {
		return nil, err
	}
	t := &taker{
		r: r, w: x.w, c: x.c, bank: x.bank, lists: x.lists, entry: l.entry(), healed: true,
		v: make(world.Vector, len(x.v)), to: make(world.Vector, len(x.to)),
	}
	t.step.pulse, t.step.halt = &r.Pulse, r.Stopped
	g := &closure{taker: t, stepper: inWorld{taker: t}}
	t.visitor = gathering{g}
	if of, is := x.stepper.(*memo); is && r.Sys.Weight == nil { // which events are rare, only the world knows
		m := newMemo(t)
		m.learnFrom(of)
		m.all = true // a state may be left before all its steps are taken
		g.stepper = m
	}
	return g, nil
}

// visits has steps lead to a visitor, who may want to be told of each at once.
func (g *closure) visits(v visitor, eager bool) {
	g.visitor = v
	if m, is := g.stepper.(*memo); is {
		m.eager = eager
	}
}

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
	g.r.Pulse.Tick()
	return g.r.Stopped()
}

// healAll adds the healed states.
func (g *closure) healAll(x *explorer) error {
	for s := range x.each {
		if s%1024 == 0 && g.halted() {
			return errHalt
		}
		if err := g.room(1); err != nil {
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
		if err := g.open(s, wants(s)); err != nil {
			return err
		}
		if s+1 == g.next {
			if err := g.settle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// open adds what the steps of a state lead to, if it is wanted.
func (g *closure) open(s uint32, wanted bool) error {
	if s%1024 == 0 {
		if g.r.at(int(s)); g.halted() {
			return errHalt
		}
	}
	if wanted && !g.outside(s) {
		if err := g.expand(s); err != nil {
			return err
		}
	}
	if g.most > 0 && g.set.Len() > g.most {
		return errFull
	}
	return nil
}

// resolve finds the healed states, and which of them are alive.
func (g *closure) resolve(x *explorer) error {
	if !x.c.Faults && g.most == 0 { // nothing was there to heal: they are these
		l := g.entry.ledger
		g.entry, g.tree = x.entry, g.r.Sys.Weight == nil
		if err := l.set.Close(); err != nil {
			return err
		}
		return g.spread()
	}
	g.tree = true
	if err := g.healAll(x); err != nil {
		return err
	}
	for from := uint32(0); ; {
		g.patient = true
		if err := g.gather(from, func(s uint32) bool { return !g.live(s) && !g.opened.has(s) }); err != nil {
			return err
		}
		if err := g.spread(); err != nil {
			return err
		}
		g.patient = false
		if from = g.next; len(g.left) == 0 {
			return nil
		}
		if err := g.impatient(from); err != nil {
			return err
		}
		if err := g.spread(); err != nil || g.next == from {
			return err
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
			if err := open(s); err != nil {
				return err
			}
		}
	}
	if err := g.settle(); err != nil {
		return err
	}
	for s := from; s < min(g.next, 2*from); s++ {
		if g.holds(s) && !g.live(s) {
			if err := open(s); err != nil {
				return err
			}
		}
		if s+1 == g.next {
			if err := g.settle(); err != nil {
				return err
			}
		}
	}
	return g.settle()
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
		g.judged.note(g.w, nodes, flying, said)
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

// here packs the state that the world is in, to be looked up, and returns its
// identity.
func (g *closure) here() (h canon.Hash, err error) {
	h = g.w.Hash()
	if failure := g.w.Failed(); failure != nil {
		return h, &wrong{failure: failure}
	}
	if err := g.room(1); err != nil {
		return h, err
	}
	g.w.Save(g.bank, g.to)
	g.pack(g.to)
	return h, nil
}

// gathering adds the states that steps lead to.
type gathering struct{ *closure }

func (g gathering) arrived(uint32, int) error {
	h, err := g.here()
	if err == nil && g.entry.add(h, origin{parent: g.current}) {
		g.note(g.w.NodesHash(), g.w.InFlight(), nil)
	}
	return err
}

func (g gathering) lookUp(m *memo) error {
	g.r.Pulse.Tick()
	if err := g.room(len(m.next)); err != nil {
		return err
	}
	m.touch()
	for j := range m.next {
		c := &m.next[j]
		m.write(c)
		p := &m.parents[c.parent]
		if g.entry.add(c.sum, origin{parent: p.state}) {
			g.note(m.nodesOf(c), p.fly+int(c.fly), g.bring)
		}
	}
	return nil
}

// spreading asks whether a step leads to a state that is alive.
type spreading struct{ *closure }

func (g spreading) arrived(uint32, int) error {
	h, err := g.here()
	if err == nil {
		s, known := g.find(h)
		g.lives = g.lives || known && g.alive.has(s)
	}
	return err
}

func (g spreading) lookUp(m *memo) error {
	for j := range m.next {
		c := &m.next[j]
		m.write(c)
		if s, known := g.find(c.sum); known && g.alive.has(s) {
			g.lives = true
			return errAlive
		}
	}
	return nil
}

// spread finds the states that are alive, by the steps that may be taken now.
func (g *closure) spread() error {
	g.visits(spreading{g}, true)
	defer g.visits(gathering{g}, false)
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
				return errHalt
			}
			if g.alive.has(s) {
				continue
			}
			lives, err := g.looks(s)
			switch {
			case err != nil:
				return err
			case lives:
				changed = true
				g.lift(s)
			default:
				rest = append(rest, s)
			}
		}
		g.left = rest
	}
	return nil
}

// looks reports whether a step of a state leads to one that is alive.
func (g *closure) looks(s uint32) (lives bool, err error) {
	if g.outside(s) { // something was wrong with it: see explorer.wrong
		return false, nil
	}
	g.lives = false
	if err := g.settle(); err != nil { // what the last look has left is forgotten
		return false, err
	}
	if err := g.expand(s); err != nil && err != errAlive {
		return false, err
	}
	return g.lives, nil
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
