package closure

import (
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
)

// Closure is everything that can still happen once the environment has healed: the healed
// forms of a set of states, and the states that these reach by steps that are not rare. It
// decides liveness exactly: a state is dead if its healed form reaches no live one.
//
// One run shows that a state is alive; only all of its runs show that it is dead. So live
// states are not expanded. The others are first expanded with patience: a timer waits until
// nothing is under way to its node or from it. Few states are reached in this way, and most
// of them reach a live one. From the states that are left every step is taken, and the states
// to which these steps lead are expanded with patience again, until no new state is found.
//
// If a whole space was visited, its ledger already has the healed states: those are not
// visited again, and two states that differ only in budgets have one healed form.
//
// Only the edge by which a state was reached first is kept. A state is alive
// if it is live, or if a step leads from it to an alive one. So the states that are not
// known to be alive are examined again and again, the farthest first, until nothing changes.
// Each time their steps are taken once more, which a memo makes cheap.
//
// The states are gathered by one visitor, and a second one spreads which of them are alive.
type Closure struct {
	*explore.Taker
	explore.Stepper
	judged explore.Judged // the verdicts about states
	Alive  stateSet       // states from which a live state can be reached
	Left   []uint32       // states not known to be alive, the farthest from the start first
	opened stateSet       // of those states, the ones of which every step was taken
	Most   int            // the largest number of states; 0 means no limit
	tree   bool           // the step by which a state was first reached may be taken

	steps  *explore.Steps // the step properties, or nil if there are none
	doomed stateSet       // states that cannot go on without a violation: see safety.go

	wild  stateSet // if the closure uses the ledger of the whole space: its states that have not healed
	added uint32   // the number of the first state that is not one of the space, or 0 if all states are

	Unassumed bool // if the closure is about one run: a state was reached that does not count for liveness
}

// stateSet is a set of states, by number.
type stateSet []uint64

func (a stateSet) has(s uint32) bool { return int(s/64) < len(a) && a[s/64]&(1<<(s%64)) != 0 }
func (a stateSet) add(s uint32)      { a[s/64] |= 1 << (s % 64) }

// upTo makes room for the states with numbers below end.
func (a *stateSet) upTo(end uint32) {
	if n := int(end+63) / 64; n > len(*a) {
		*a = append(*a, make([]uint64, n-len(*a))...)
	}
}

// New returns a closure without states. It shares the world and the bank of the explorer whose
// states it heals.
func New(r *explore.Owner, x *explore.Explorer) (*Closure, error) {
	l, err := r.NewLedger(len(x.From), nil)
	if err != nil {
		return nil, err
	}
	t := x.Heals(r, l)
	g := &Closure{Taker: t, Stepper: explore.InWorld{Taker: t}}
	t.Visits(gathering{g})
	if of, is := x.Stepper.(*explore.Memo); is {
		m := explore.NewMemo(t)
		m.LearnFrom(of)
		m.LooksAllUp() // a state may be left before all its steps are taken
		g.Stepper = m
	}
	return g, nil
}

// heal packs the healed form of a state into the closure's entry, and returns its identity. A healed
// form has nothing of the environment's parts.
func (g *Closure) heal(x *explore.Explorer, s uint32) canon.Hash {
	x.Get(s, g.To)
	g.Bank.Heal(g.To)
	g.Pack(g.To)
	return g.Sum(g.To)
}

// Added reports whether a state was reached by healing, and is not known to be a state of the
// space.
func (g *Closure) Added(s uint32) bool { return g.added != 0 && s >= g.added }

// Dead reports whether the healed form of a state reaches no live one.
func (g *Closure) Dead(x *explore.Explorer, s uint32) bool {
	healed, known := g.Find(g.heal(x, s))
	return !known || !g.Alive.has(healed)
}

// Halted reports whether to stop. It also shows the watchdog that the closure makes
// progress: it may look up results for long without running a handler.
func (g *Closure) Halted() bool {
	g.Owner.Pulse.Tick()
	return g.Owner.Stopped()
}

// healAll adds the healed forms of the explorer's states. A state of the space that has healed is
// its own healed form, and everything that it leads to is in the ledger already.
func (g *Closure) healAll(x *explore.Explorer) error {
	for s := range x.Each {
		if g.Added(s) {
			break
		}
		if s%1024 == 0 && g.Halted() {
			return explore.ErrHalt
		}
		if err := g.Room(1); err != nil {
			return err
		}
		if g.added != 0 {
			x.Get(s, g.To)
			if g.Bank.Healed(g.To) {
				g.opened.add(s)
				g.mark(s, g.Bank.NodesSum(g.To), g.Bank.InFlight(g.To), func() { g.World.State.Load(g.Bank, g.To) })
				continue
			}
			g.wild.add(s)
		}
		if g.Entry.Add(g.heal(x, s), explore.Origin{Parent: explore.NoParent}) {
			g.note(g.Bank.NodesSum(g.To), g.Bank.InFlight(g.To), func() { g.World.State.Load(g.Bank, g.To) })
		}
	}
	return nil
}

// gather adds the states that can be reached from the states with numbers from from on, by the
// steps that are allowed now. It does not expand states for which wants returns false.
func (g *Closure) gather(from uint32, wants func(s uint32) bool) error {
	for s := range g.Each {
		if s < from {
			continue
		}
		if err := g.open(s, wants(s)); err != nil {
			return err
		}
		if s+1 == g.Next {
			if err := g.Settle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// open expands a state if wanted is true: it adds the states to which its steps lead.
func (g *Closure) open(s uint32, wanted bool) error {
	if s%1024 == 0 {
		if g.Owner.Progress(int(s)); g.Halted() {
			return explore.ErrHalt
		}
	}
	if wanted && !g.Outside(s) {
		if err := g.Expand(s); err != nil {
			return err
		}
	}
	if g.Most > 0 && (g.Kept() > g.Most || g.Sampled) { // of answers that were only sampled, others may be a way out
		return explore.ErrFull
	}
	return nil
}

// Resolve adds the healed states of the explorer, and finds out which of them are alive.
func (g *Closure) Resolve(x *explore.Explorer) error {
	g.tree = true
	if g.Most == 0 && !x.Reduction.Hides(x.Climate.Faults) { // the healed states that are known stand in the ledger of the space
		g.tree = g.Owner.Sys.Weight == nil // else steps of the space may be rare
		if !x.Climate.Faults {             // nothing was there to heal
			if err := g.MovesTo(x.Entry); err != nil {
				return err
			}
			return g.Spread()
		}
		if err := g.MovesTo(x.Ledger.Entry()); err != nil {
			return err
		}
		g.added, g.judged = x.End(), *x.Judged()
		g.opened.upTo(g.added)
		g.wild.upTo(g.added)
	}
	if err := g.healAll(x); err != nil {
		return err
	}
	for from := g.added; ; {
		if err := g.Patiently(func() error {
			if err := g.gather(from, func(s uint32) bool { return !g.Live(s) && !g.opened.has(s) }); err != nil {
				return err
			}
			return g.Spread()
		}); err != nil {
			return err
		}
		if from = g.Next; len(g.Left) == 0 {
			return nil
		}
		if err := g.impatient(from); err != nil {
			return err
		}
		if err := g.Spread(); err != nil || g.Next == from {
			return err
		}
	}
}

// impatient takes every step from the remaining states. It does the same with the new states, whose
// numbers are from from on, until the number of states has doubled: otherwise there would be many
// rounds in spaces in which patience does not help.
func (g *Closure) impatient(from uint32) error {
	open := func(s uint32) error {
		g.opened.upTo(g.End())
		g.opened.add(s)
		return g.open(s, true)
	}
	for _, s := range g.Left {
		if !g.opened.has(s) {
			if err := open(s); err != nil {
				return err
			}
		}
	}
	if err := g.Settle(); err != nil {
		return err
	}
	for s := from; s < min(g.Next, 2*from); s++ {
		if g.Holds(s) && !g.Live(s) {
			if err := open(s); err != nil {
				return err
			}
		}
		if s+1 == g.Next {
			if err := g.Settle(); err != nil {
				return err
			}
		}
	}
	return g.Settle()
}

// note notes the verdict about the state that was added last. If the verdict about the state's nodes is remembered,
// it uses that; otherwise it calls load, which brings the state into the world, and evaluates it there.
func (g *Closure) note(nodes canon.Hash, flying int, load func()) {
	g.Told()
	g.mark(g.Next-1, nodes, flying, load)
}

// mark does the same for state s.
func (g *Closure) mark(s uint32, nodes canon.Hash, flying int, load func()) {
	said, known := g.judged.Get(nodes, flying)
	if !known {
		if load != nil {
			load()
		}
		if said = g.Judge(); g.Most > 0 {
			said = g.judgeOne()
		}
		g.judged.Note(g.World, nodes, flying, said)
	}
	if g.Most > 0 { // one run: it is judged by all that can follow, beyond Within too
		said |= explore.SaidInside
	}
	if said&explore.SaidInside == 0 {
		g.Block(s).Outside.Set(s)
	}
	if said&(explore.SaidGood|explore.SaidInside) != explore.SaidInside {
		g.Block(s).Live.Set(s)
	}
}

// judgeOne returns the verdict about a state if the closure is about one run. As in walks, which go
// on outside System.Within, a state is good only if it is live. A state outside System.Assume is
// neither live nor dead.
func (g *Closure) judgeOne() explore.Said {
	switch {
	case g.World.Judge.Live():
		return explore.SaidInside | explore.SaidGood
	case g.World.Judge.CanBeLive() && !g.World.Judge.Assumed():
		g.Unassumed = true
	}
	return explore.SaidInside
}

// here packs the state that is loaded in the world, so that it can be looked up, and returns its
// identity.
func (g *Closure) here() (h canon.Hash, err error) {
	h = g.World.State.Hash()
	if failure := g.World.Run.Failed(); failure != nil {
		return h, &explore.Wrong{Failure: failure}
	}
	if err := g.Room(1); err != nil {
		return h, err
	}
	g.World.State.Save(g.Bank, g.To)
	g.Pack(g.To)
	return h, nil
}

// gathering is the visitor that adds the states to which steps lead.
type gathering struct{ *Closure }

func (g gathering) Arrived(uint32, int) error {
	h, err := g.here()
	if err == nil && g.Entry.Add(h, explore.Origin{Parent: g.Current}) {
		g.note(g.World.State.NodesHash(), g.World.Links.InFlight(), nil)
	}
	return err
}

func (g gathering) LookUp(m *explore.Memo) error {
	g.Owner.Pulse.Tick()
	if err := g.Room(len(m.Next)); err != nil {
		return err
	}
	m.Touch()
	for j := range m.Next {
		c := &m.Next[j]
		m.Write(c)
		p := &m.Parents[c.Parent]
		if g.Entry.Add(c.Sum, explore.Origin{Parent: p.State}) {
			g.note(m.NodesOf(c), p.Fly+int(c.Fly), g.Bring)
		}
	}
	return nil
}

// Spreading is the visitor that notes whether a step leads to an alive state.
type Spreading struct {
	*Closure
	lives bool // a step of the state under examination leads to an alive state
}

func (g *Spreading) Arrived(uint32, int) error {
	h, err := g.here()
	if err == nil {
		s, known := g.Find(h)
		g.lives = g.lives || known && g.Alive.has(s)
	}
	return err
}

func (g *Spreading) LookUp(m *explore.Memo) error {
	for j := range m.Next {
		c := &m.Next[j]
		m.Write(c)
		if s, known := g.Find(c.Sum); known && g.Alive.has(s) {
			g.lives = true
			return explore.ErrAlive
		}
	}
	return nil
}

// Spread finds the states that are alive because of a step that may be taken now.
func (g *Closure) Spread() error {
	s := &Spreading{Closure: g}
	return g.Eagerly(s, s.spread)
}

func (g *Spreading) spread() error {
	g.Alive.upTo(g.End())
	g.Left = g.Left[:0]
	for s := range g.Each {
		if g.Live(s) && !g.Alive.has(s) {
			g.lift(s)
		}
	}
	for s := range g.Each {
		if !g.Alive.has(s) && !g.wild.has(s) {
			g.Left = append(g.Left, s)
		}
	}
	slices.Reverse(g.Left)
	for changed := true; changed; {
		changed = false
		rest := g.Left[:0]
		for i, s := range g.Left {
			if i%1024 == 0 && g.Halted() {
				return explore.ErrHalt
			}
			if g.Alive.has(s) {
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
		g.Left = rest
	}
	return nil
}

// looks reports whether a step of state s leads to an alive state.
func (g *Spreading) looks(s uint32) (lives bool, err error) {
	if g.Outside(s) { // something was wrong with it: see explorer.wrong
		return false, nil
	}
	g.lives = false
	if err := g.Settle(); err != nil { // what the last look has left is forgotten
		return false, err
	}
	if err := g.Expand(s); err != nil && err != explore.ErrAlive {
		return false, err
	}
	return g.lives, nil
}

// lift marks a state as alive, and all states on the run by which it was first reached.
func (g *Closure) lift(s uint32) {
	g.Alive.add(s)
	for g.tree {
		if s = g.Origin(s).Parent; s == explore.NoParent || g.Alive.has(s) || g.wild.has(s) {
			return
		}
		g.Alive.add(s)
	}
}

// Narrow reports whether only live states were counted as recoveries. If not, states outside
// System.Within, which are not expanded, and states outside System.Assume were counted, too. The
// dead states are dead in either case. But if Narrow returns false, a state that is not dead need
// not be able to recover.
func (g *Closure) Narrow() bool {
	sys := g.Owner.Sys
	if sys.Within.IsZero() && sys.Assume.IsZero() {
		return true
	}
	for s := range g.Each {
		if !g.Live(s) {
			continue
		}
		g.Get(s, g.To)
		g.World.State.Load(g.Bank, g.To)
		if !g.World.Judge.Live() {
			return false
		}
	}
	return true
}
