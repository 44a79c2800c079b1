package explore

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/trace"
)

// Explorer visits every state once, level by level, a level being all states at the same distance from the start. So
// the first state that violates a property is as near to the start as any.
type Explorer struct {
	*Taker
	Stepper
	steps *Steps // the step properties, or nil if there are none

	judged Judged                // remembered verdicts about states
	Inside bool                  // every state so far is inside System.Within
	pairs  run.Share             // the share of the steps to known states that is tested
	sides  *sides                // the worlds in which they are tested
	sample map[canon.Hash]uint32 // the numbers of a sample of the states, if only fingerprints are kept
	late   []canon.Hash          // states that were added lately, if the others are on disk

	Among func(*Wrong) // called with a failure of a new state, or of a step that was looked up, if several explorers expand a level together; otherwise nil
}

// NewExplorer returns an explorer without states. Climate c says whether its runs may have faults, and when
// the environment heals. If p is not nil, the explorer keeps fingerprints instead of states.
func (r *Owner) NewExplorer(c run.Climate, p *Prints) (*Explorer, error) {
	l, err := r.NewLedger(r.World.State.Places(), p)
	if err != nil {
		return nil, err
	}
	return newExplorer(r, c, l)
}

// newExplorer makes an explorer for r that keeps its states in ledger l. It executes each step in a simulated world under
// climate c, and looks no results of steps up.
func newExplorer(r *Owner, c run.Climate, l *Ledger) (*Explorer, error) {
	t, err := newTaker(r, c, l)
	if err != nil {
		return nil, err
	}
	x := &Explorer{Taker: t, Stepper: InWorld{Taker: t}, Inside: true}
	t.Visitor = x
	x.steps, err = NewSteps(t)
	return x, err
}

// Join makes an explorer for r that expands levels together with x, and keeps its states in the ledger of x.
func (x *Explorer) Join(r *Owner) (*Explorer, error) {
	other, err := newExplorer(r, x.Climate, x.Ledger)
	if err != nil {
		return nil, err
	}
	x.join()
	other.join()
	other.share(x.Taker)
	other.pairs = run.Share{Every: x.pairs.Every, Least: 1}
	r.Allow(x.Climate, other.World)
	if m := x.Memo(); m != nil {
		other.ByMemo().sharesWith(m)
	}
	return other, nil
}

// ByMemo makes the explorer look steps up in a new memo, which runs a handler only if the result
// is not known, and returns the memo.
func (x *Explorer) ByMemo() *Memo {
	x.Ledger.noteSteps()
	m := NewMemo(x.Taker)
	x.Stepper = m
	return m
}

// Memo returns the explorer's memo, or nil if the explorer takes all steps in the world.
func (x *Explorer) Memo() *Memo {
	m, _ := x.Stepper.(*Memo)
	return m
}

// Roots visits the states in which a run may start. If nodes toss coins while they start, there is
// one such state for each list of answers to these coins.
func (x *Explorer) Roots() error {
	if x.Begin != nil {
		return x.rootAt(x.Begin)
	}
	x.begin()
	for {
		x.Step.start(x.World)
		if x.World.State.Bound() != "" {
			return ErrBound
		}
		x.answered()
		x.weigh()
		if x.fold != nil {
			x.World.State.Save(x.Bank, x.To)
			x.fold.starts(slices.Clone(x.To))
		}
		if err := x.reached(NoParent, 0); err != nil {
			return err
		}
		if !x.moreCoins() {
			if err := x.Step.coins.Err(); err != nil {
				return err
			}
			return x.begins()
		}
	}
}

// weigh sets the shares of the steps that are audited and of the duplicates that are tested. They depend on the
// size of the first state, which is loaded in the world.
func (x *Explorer) weigh() {
	if x.Owner.Share.Every == 0 {
		_, memo := x.Stepper.(*Memo)
		x.Owner.Share.Weigh(memo, len(x.World.Text.Lines()))
		x.pairs = run.Share{Every: 2 * x.Owner.Share.Every, Least: min(duplicatesLeast, x.Owner.Share.Least)}
	}
}

// rootAt visits the state of fork k, with which all runs of the search begin. It reaches the state
// by giving the fork's answers again.
func (x *Explorer) rootAt(k *run.Fork) error {
	x.begin()
	src := choose.NewRaw(k.Prefix)
	x.mark(noEvent, nil)
	x.World.Start(src)
	for x.World.Run.Steps() < k.Steps {
		x.Owner.Pulse.Tick()
		if x.World.Step(src) != world.Stepped {
			return fmt.Errorf("macemc bug: search: a prefix that was taken could not be taken again: %w", x.World.Run.Err())
		}
	}
	if x.World.State.Bound() != "" {
		return ErrBound
	}
	x.weigh()
	return x.reached(NoParent, 0)
}

// Arrived counts the step that the world has taken, event number k of the state, and visits the resulting state. It
// implements Visitor.
func (x *Explorer) Arrived(state uint32, k int) error {
	x.Owner.Counts.transition()
	x.Owner.Share.Took(1, false)
	if failure := x.steps.Check(state); failure != nil {
		x.answered()
		return x.wrong(failure, false)
	}
	return x.reached(state, k)
}

// reached visits the state that is loaded in the world, to which an event of the parent has led. It is a start state
// if parent is NoParent.
func (x *Explorer) reached(parent uint32, event int) error {
	h := x.World.State.Hash()
	if failure := x.World.Run.Failed(); failure != nil {
		return &Wrong{Failure: failure}
	}
	if err := x.room(1); err != nil {
		return err
	}
	x.answered()
	coins, ok := x.Lists.Number(x.lastCoins)
	if !ok || event > math.MaxUint16 {
		x.sampled()
		return nil
	}
	if parent != NoParent && x.forgetful() && x.met(h) {
		return x.duplicate(h)
	}
	if parent == NoParent {
		x.World.State.Save(x.Bank, x.To)
		x.Pack(x.To)
	} else {
		moved, at := x.World.State.SaveMoved(x.Bank), x.World.State.At()
		rec := x.rec(parent)
		if len(moved) == 1 && moved[0] == 0 && x.Reduction == nil && x.Sleeping() == nil && !x.pairs.Due() && x.knows(rec, at[0]) {
			return x.duplicate(h) // the state is known, and need not be packed
		}
		x.start(rec)
		for _, p := range moved {
			if at[p] != x.From[p] {
				x.put(int(p), at[p])
			}
		}
	}
	x.hold()
	defer x.letGo() // after letGo the state may get another number
	fresh := !x.lately(h) && x.Add(h, Origin{parent, uint16(event), coins})
	if r := x.Reduction; r != nil {
		if !r.aside && r.asks(r.now) {
			r.leads(r.now, x.number(h, fresh))
		}
		if r.emits {
			r.show()
		}
	}
	if z := x.Sleeping(); z != nil {
		z.reached(x.number(h, fresh), fresh, 0)
	}
	if !fresh {
		return x.duplicate(h)
	}
	x.Told()
	if failure := x.World.Judge.CheckLinks(); failure != nil {
		return x.wrongState(failure, false)
	}
	return x.visit(h, x.World.State.NodesHash(), x.World.Links.InFlight(), false, nil)
}

// number returns the number of the packed state, whose identity is h. If fresh is true, it was just added.
func (x *Explorer) number(h canon.Hash, fresh bool) uint32 {
	if fresh {
		return x.Next - 1
	}
	s, known := x.Find(h)
	if !known {
		panic("macemc bug: search: a state that was known is not in the ledger")
	}
	return s
}

// visit checks the properties in the state that was added last. The identity of the state is h, and nodes is the
// identity of its nodes. If a verdict about these nodes is remembered, visit uses that. Otherwise it calls load,
// which brings the state into the world; if load is nil, the world is in the state already. The argument goesOn says
// whether some event is possible in the state.
func (x *Explorer) visit(h, nodes canon.Hash, flying int, goesOn bool, load func()) error {
	x.remember(h)
	x.adds(h)
	s := x.Next - 1
	bring := func() {
		if load != nil {
			load()
			load = nil
		}
	}
	said, known := x.judged.Get(nodes, flying)
	if !known {
		bring()
		x.mark(x.LastEvent, x.lastCoins)
		x.Owner.Pulse.Tick()
		if failure := x.World.Judge.Check(); failure != nil {
			return x.wrongState(failure, false)
		}
		x.World.Judge.CoverState(x.depth())
		said = x.Judge()
		x.Owner.Pulse.Pass()
		x.judged.Note(x.World, nodes, flying, said)
	}
	if p := x.Owner.Sampler; p != nil && p.Due(x.depth()) {
		bring()
		p.Look(x.depth(), x.World.Text.Lines(), x.World.Text.Shown())
		p.Hold(x.World.Text.TimeFields())
	}
	inside := said&SaidInside != 0
	if x.World.Judge.CanBeLive() {
		good := said&SaidGood != 0
		if !good && said&saidBusy == 0 && (!goesOn || x.Owner.Sys.Weight != nil) {
			if x.rests(load != nil, bring) {
				rest, seems := x.World.Run.Failure(trace.VerdictDead, ""), run.Dead(x.World, 0)
				rest.Property, rest.Failing = seems.Property, seems.Failing
				return x.wrongState(rest, true)
			}
		}
		if !x.Climate.Faults && (good || !inside) { // with faults, liveness is decided for the healed forms only
			x.Block(s).Live.Set(s)
		}
	}
	if !inside {
		x.Inside = false
		x.leave(s)
	}
	x.Owner.Counts.state()
	if f := x.fold; f != nil && f.dueAlike() && x.Current != NoParent {
		if err := x.alike(s, h); err != nil {
			return err
		}
	}
	if x.Owner.Share.Due() {
		return x.audit(h)
	}
	return nil
}

// rests reports whether no event but faults is possible in the state that was added last. The function bring loads
// the state into the world. If asks is true, rests first looks for a message under way that can be delivered; if
// there is one, it returns false without calling bring.
func (x *Explorer) rests(asks bool, bring func()) bool {
	if asks {
		if x.Get(x.Next-1, x.To); x.Bank.Delivers(x.World, x.To) {
			return false
		}
	}
	bring()
	return x.World.Events.Settled()
}

// wrongState handles a failure in the state that was added last, and makes the explorer take no step of that state.
// dead is as in Wrong.Dead.
func (x *Explorer) wrongState(failure *trace.Failure, dead bool) error {
	x.leave(x.Next - 1)
	if x.Owner.Several && x.stale() { // it was noted before
		x.World.Judge.Pardon()
		return nil
	}
	if x.Among != nil {
		x.Among(&Wrong{Failure: failure, Dead: dead})
		return nil
	}
	return x.wrong(failure, dead)
}

// wrongStep handles a failure of a step whose result was looked up. The step then leads to no state.
func (x *Explorer) wrongStep(failure *trace.Failure) error {
	if x.Among != nil {
		x.Among(&Wrong{Failure: failure})
		return nil
	}
	return x.wrong(failure, false)
}

// wrong handles a failure of the last step, or of the state that it has reached. It ends the exploration. But if more
// findings are wanted, it records the failure, and the exploration goes on without the steps of that state.
func (x *Explorer) wrong(failure *trace.Failure, dead bool) error {
	if !x.Owner.Several {
		return &Wrong{Failure: failure, Dead: dead}
	}
	x.World.Judge.Pardon()
	err := x.Owner.Note(x, failure, dead)
	x.explores()
	return err
}

// depth returns the number of steps from the start to the state that is being visited.
func (x *Explorer) depth() int {
	if x.Current == NoParent {
		return 0
	}
	return x.Owner.Depth() + 1
}

// audit repeats the run to the state that was just reached, whose identity is h, from the start, in lockstep and with
// every check on. It must end in the same state: neither the service nor the engine may depend on other runs that
// were taken before.
func (x *Explorer) audit(h canon.Hash) error {
	answers := x.Found()
	r, steps := x.Owner, answers.Length()
	end, failure, w := r.Run(run.Repeat(answers, x.Climate, steps), true)
	r.Share.Took(steps, true)
	x.explores()
	if failure == nil && end == run.EndLeft && w.State.Hash() == h {
		return nil
	}
	if at, field := x.parts(answers); field != "" {
		return r.leftOut(at, "a state does something else than another one that has its identity", field)
	}
	if failure != nil {
		return &Wrong{Failure: failure}
	}
	strayed := &Wrong{Failure: w.Run.Failure(trace.VerdictNondeterminism, ""), Strayed: true}
	if end == run.EndLeft && x.World.State.Hash() == h {
		strayed.Copied = x.World.Text.First(w.Text.Lines())
	}
	return strayed
}

// AnswersLeft takes the last event again, once for each list of answers to the coins of its handler that was
// not tried before.
func (x *Explorer) AnswersLeft() error {
	if !x.moreCoins() {
		return nil
	}
	event := x.LastEvent
	x.load(x.Current)
	x.World.Events.Count()
	return x.takeOn(x.Current, event)
}

// Resume prepares the explorer to take further steps after one has failed.
func (x *Explorer) Resume() {
	x.Step.fail()
	x.World.Judge.Pardon() // loading another state would clear the failure, too, but after the last state of a level none is loaded
}

// LookUp looks up the states in the batch of memo m, and visits those that are new. It implements Visitor.
func (x *Explorer) LookUp(m *Memo) error {
	if err := x.room(len(m.Next)); err != nil {
		return err
	}
	x.hold()
	defer x.letGo()
	defer x.Told()
	m.Touch()
	x.Owner.Share.Took(len(m.Next)+len(m.seen), false)
	x.Owner.Pulse.Tick()
	seen, candidates := m.seen, len(m.Next)
	for j := range candidates {
		for len(seen) > 0 && int(seen[0].next) <= j {
			if err := x.pass(m, &seen[0]); err != nil {
				return err
			}
			seen = seen[1:]
		}
		c := &m.Next[j]
		p := &m.Parents[c.Parent]
		x.Owner.Counts.transition()
		if failure := x.steps.lookUp(m, c); failure != nil {
			if err := x.wrongStep(failure); err != nil {
				return err
			}
			continue
		}
		m.Write(c)
		fresh := !x.lately(c.Sum) && x.Add(c.Sum, Origin{p.State, c.event, c.coins})
		if r := x.Reduction; r != nil && r.asks(p.part) {
			r.leads(p.part, x.number(c.Sum, fresh))
		}
		if m.sleep != nil {
			m.sleep.reached(x.number(c.Sum, fresh), fresh, c.naps)
		}
		if !fresh {
			if err := x.again(m, c); err != nil {
				return err
			}
			continue
		}
		x.came(c.by)
		x.Spot = Spot{p.State, int(c.event), x.Lists.Get(c.coins)}
		if err := x.visit(c.Sum, m.NodesOf(c), p.Fly+int(c.Fly), p.both && c.by != 0, x.Bring); err != nil {
			return err
		}
	}
	for k := range seen {
		if err := x.pass(m, &seen[k]); err != nil {
			return err
		}
	}
	return nil
}

// again counts the step to candidate c of memo m, whose state is packed and already known, and
// tests a sample of such steps: see duplicate.
func (x *Explorer) again(m *Memo, c *candidate) error {
	if x.pairs.Due() {
		x.Spot = Spot{m.Parents[c.Parent].State, int(c.event), x.Lists.Get(c.coins)}
	}
	return x.duplicate(c.Sum)
}

// Away returns the number of steps from the start to state s.
func (x *Explorer) Away(s uint32) (n int) {
	for s = x.Origin(s).Parent; s != NoParent; s = x.Origin(s).Parent {
		n++
	}
	return n
}

// Assumed reports whether state s counts for liveness, which means that System.Assume holds.
func (x *Explorer) Assumed(s uint32) bool {
	x.Get(s, x.To)
	x.World.State.Load(x.Bank, x.To)
	return x.World.Judge.Assumed()
}

// Follow takes the run of a path in the explorer's world. It adds the states along the run to the ledger,
// beginning with the state before step number from, and returns their numbers. A state that the run reaches
// twice is added twice.
func (x *Explorer) Follow(path *choose.Path, from int) (states []uint32, err error) {
	answers := choose.NewRaw(run.Picks(path))
	x.Owner.Allow(x.Climate, x.World)
	x.World.Start(answers)
	for depth := 0; ; depth++ {
		if depth >= from {
			if depth == from && x.World.State.Bound() != "" || depth > from && x.World.State.BoundNow() != "" {
				return nil, ErrHalt
			}
			x.World.State.Save(x.Bank, x.To)
			x.Pack(x.To)
			states = append(states, x.append(Origin{}))
		}
		if depth == len(path.Steps) {
			return states, nil
		}
		if x.Climate.Step(x.World, answers) != world.Stepped {
			return nil, fmt.Errorf("the first %d steps of a run could not be taken again: %w%s", len(path.Steps), cmp.Or(x.World.Run.Err(), choose.ErrEnd), run.Hint)
		}
	}
}
