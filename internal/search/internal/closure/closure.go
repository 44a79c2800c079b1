package closure

import (
	"slices"

	"macemc/internal/canon"
	"macemc/internal/search/internal/explore"
)

// Closure is everything that can still happen once the environment has healed: the healed forms of a set of states,
// and the states that these reach by steps that are not rare. It decides liveness exactly: a state is dead if its
// healed form reaches no live one.
//
// One run shows that a state is alive; only all of its runs show that it is dead. So live states are not expanded.
// The others are first expanded (their steps are taken) with patience: a timer fires only if no message is under
// way to its node or from it. Few states are reached in this way, and most of them reach a live one. From the
// states that do not, every step is taken, and the states to which these steps lead are expanded with patience
// again, until no new state is found.
//
// If the search has visited all states of the system, its ledger (the table of visited states) already has the
// healed ones: those are not visited again. Two states that differ only in the faults that are still allowed have
// one healed form.
//
// Only the edge by which a state was reached first is kept. A state is alive if it is live, or if a step leads from
// it to an alive one. So the states that are not known to be alive are examined again and again, the farthest
// first, until nothing changes. Their steps are taken again each time, which is cheap if a memo has their results.
//
// The visitor gathering collects the states, and the visitor Spreading finds which of them are alive.
type Closure struct {
	*explore.Taker
	explore.Stepper
	judged explore.Judged // the verdicts about states
	Alive  stateSet       // states from which a live state can be reached
	Left   []uint32       // states not known to be alive, the farthest from the start first
	opened stateSet       // states from which every step was taken
	Most   int            // the largest number of states; 0 means no limit
	Runs   int            // the largest number of handler runs; 0 means no limit
	began  int            // the number of handler runs before
	tree   bool           // a step by which a state was first reached proves that the state before it is alive, too: no such step is rare

	steps  *explore.Steps // the step properties, or nil if there are none
	doomed stateSet       // states from which every fair run violates a property: see safety.go

	wild  stateSet // if the closure uses the ledger of all states of the system: those whose environment has not healed
	added uint32   // the number of the first state that the search itself has not visited; 0 if there is none, or if the closure has a ledger of its own

	Unassumed bool // if the closure is about one run: a state outside System.Assume, which does not count for liveness, was reached
}

// stateSet is a set of states, by number.
type stateSet []uint64

func (a stateSet) has(s uint32) bool { return int(s/64) < len(a) && a[s/64]&(1<<(s%64)) != 0 }
func (a stateSet) add(s uint32)      { a[s/64] |= 1 << (s % 64) }

// upTo makes room in the set for the numbers below end.
func (a *stateSet) upTo(end uint32) {
	if n := int(end+63) / 64; n > len(*a) {
		*a = append(*a, make([]uint64, n-len(*a))...)
	}
}

// New returns a closure without states, for the states of explorer x. The two share a world and a bank, which
// stores the parts of states.
func New(r *explore.Owner, x *explore.Explorer) (*Closure, error) {
	l, err := r.NewLedger(len(x.From), nil)
	if err != nil {
		return nil, err
	}
	t := x.Heals(r, l)
	g := &Closure{Taker: t, Stepper: explore.InWorld{Taker: t}, began: *r.Counts.HandlerRuns}
	t.Visits(gathering{g})
	if of, is := x.Stepper.(*explore.Memo); is {
		m := explore.NewMemo(t)
		m.LearnFrom(of)
		m.LooksAllUp() // memos skip steps only if all steps of every state are taken, and a closure may stop in the middle of one
		g.Stepper = m
	}
	return g, nil
}

// heal packs the healed form of state s of explorer x into the closure's entry, and returns the identity of that
// form. A healed form has no fault that lasts, and no budget for faults.
func (g *Closure) heal(x *explore.Explorer, s uint32) canon.Hash {
	x.Get(s, g.To)
	g.Bank.Heal(g.To)
	g.Pack(g.To)
	return g.Sum(g.To)
}

// Added reports whether state s was reached only after healing, and is not among the states that the search itself
// has visited. It is false for all states if the closure has a ledger of its own.
func (g *Closure) Added(s uint32) bool { return g.added != 0 && s >= g.added }

// Dead reports whether the healed form of state s of explorer x reaches no live state.
func (g *Closure) Dead(x *explore.Explorer, s uint32) bool {
	healed, known := g.Find(g.heal(x, s))
	return !known || !g.Alive.has(healed)
}

// Halted reports whether the search should stop. It also shows the watchdog that the closure makes progress, since
// the closure may look up the results of steps for long without running a handler.
func (g *Closure) Halted() bool {
	g.Owner.Pulse.Tick()
	return g.Owner.Stopped()
}

// healAll adds the healed forms of the states of explorer x. If all states of the system were visited, a state that
// has healed is its own healed form, and all states that it reaches are in the ledger already.
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

// gather adds the states that can be reached, by the steps that are allowed at present, from the states of the
// closure whose numbers are at least from. It takes steps only from states for which wants returns true.
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

// open takes the steps of state s, if wanted is true, and adds the states to which they lead. It returns an error if
// the search should stop, or if the closure has become too large.
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
	if g.Runs > 0 && *g.Owner.Counts.HandlerRuns-g.began > g.Runs {
		return explore.ErrFull
	}
	if g.Most > 0 && (g.Kept() > g.Most || g.Sampled) { // an answer that was not tried may lead to recovery
		return explore.ErrFull
	}
	return nil
}

// Resolve adds the healed forms of the states of explorer x, and finds out which of them are alive.
func (g *Closure) Resolve(x *explore.Explorer) error {
	g.tree = true
	if g.Most == 0 && !x.Reduction.Hides(x.Climate.Faults) { // the whole space is in the explorer's ledger, with those healed states that were reached
		g.tree = g.Owner.Sys.Weight == nil // with weights, steps in the ledger may be rare, and do not count after healing
		if !x.Climate.Faults {             // every state is its own healed form
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

// impatient takes every step of the states in Left, including the timers that patience has held back. It then takes
// every step of the new states, whose numbers are at least from, until the number of states has doubled. If it took
// only those of Left, there would be many rounds in spaces in which patience does not help.
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

// note records the verdict about the state that was added last: whether it is live, and whether it counts for
// liveness. The verdict about the same nodes with the same number of messages under way, flying, may be known;
// otherwise note evaluates the properties in the world. The function load brings the state into the world; it is
// nil if the world has that state already.
func (g *Closure) note(nodes canon.Hash, flying int, load func()) {
	g.Told()
	g.mark(g.Next-1, nodes, flying, load)
}

// mark records the verdict about state s. The other parameters are those of note.
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
	if g.Most > 0 { // the closure is about one run: states outside Within count as well
		said |= explore.SaidInside
	}
	if said&explore.SaidInside == 0 {
		g.Block(s).Outside.Set(s)
	}
	if said&(explore.SaidGood|explore.SaidInside) != explore.SaidInside {
		g.Block(s).Live.Set(s)
	}
}

// judgeOne returns the verdict about a state if the closure is about one run. Only a live state
// counts as a recovery: walks go on outside System.Within, so being there is no recovery, either. A
// state outside System.Assume is neither live nor dead.
func (g *Closure) judgeOne() explore.Said {
	switch {
	case g.World.Judge.Live():
		return explore.SaidInside | explore.SaidGood
	case g.World.Judge.CanBeLive() && !g.World.Judge.Assumed():
		g.Unassumed = true
	}
	return explore.SaidInside
}

// here packs the state that is loaded in the world, and returns its identity, by which it can be looked up.
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

// gathering is the visitor that adds to a closure the states to which steps lead.
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

// Spreading is the visitor that records whether any step of a state leads to an alive state.
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

// Spread finds the states that are alive because they are live, or because a step that is allowed at present leads
// to an alive state. It makes Left the list of the others.
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

// looks takes the steps of state s, and reports whether one of them leads to an alive state.
func (g *Spreading) looks(s uint32) (lives bool, err error) {
	if g.Outside(s) { // outside Within, or the state failed: see Explorer.wrong
		return false, nil
	}
	g.lives = false
	if err := g.Settle(); err != nil { // pass the batch of the last state on, whose result is not needed any more
		return false, err
	}
	if err := g.Expand(s); err != nil && err != explore.ErrAlive {
		return false, err
	}
	return g.lives, nil
}

// lift marks state s as alive. If the field tree is true, a step by which a state was first reached proves that
// the state before it is alive, too, so lift goes back along the run to s and marks its states. It stops at a
// state that is marked already, or in which the environment has not healed.
func (g *Closure) lift(s uint32) {
	g.Alive.add(s)
	for g.tree {
		if s = g.Origin(s).Parent; s == explore.NoParent || g.Alive.has(s) || g.wild.has(s) {
			return
		}
		g.Alive.add(s)
	}
}

// Narrow reports whether the closure takes only live states for live. It also takes states outside System.Within for
// live, where the search does not go on, and states outside System.Assume, where the liveness properties need not
// hold. So if Narrow returns false, the dead states are still dead, but a state that is not dead need not be able to
// recover.
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
