package search

import (
	"fmt"
	"math"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/search/internal/run"
	"macemc/sim"
)

// explorer visits every state once, level by level. The first state that is
// found wrong is therefore as near to the start as any.
type explorer struct {
	*taker
	stepper
	steps *world.Transition // the step properties, between the state before and the state after; nil: there are none

	judged judged                // what was said of states
	inside bool                  // no state is outside System.Within
	pairs  run.Share             // of the steps to known states, those that are tested
	sides  *sides                // in which they are
	sample map[canon.Hash]uint32 // of the states, where only fingerprints are kept

	team *team // it expands a level together with others; nil: it does so alone
}

// newExplorer stands before the first state. p: fingerprints are kept, not states.
func (r *runner) newExplorer(c run.Climate, p *prints) (*explorer, error) {
	l, err := r.newLedger(r.World.Places(), p)
	if err != nil {
		return nil, err
	}
	return r.newExplorerIn(c, l)
}

// newExplorerIn writes into a ledger. It takes every step in the world.
func (r *runner) newExplorerIn(c run.Climate, l *ledger) (*explorer, error) {
	t, err := r.newTaker(c, l)
	if err != nil {
		return nil, err
	}
	x := &explorer{taker: t, inside: true}
	t.visitor = x
	in := inWorld{taker: t}
	if r.Always {
		if in.prior, err = r.NewWorld(world.Config{}); err != nil {
			return nil, err
		}
		in.prior.Track()
		x.steps = world.StepChecks(in.prior, t.w, r.opts.Properties)
	}
	x.stepper = in
	return x, nil
}

// byMemo makes the explorer take steps by arithmetic.
func (x *explorer) byMemo() *memo {
	if !x.ledger.noted { // others may read it
		x.ledger.noted = true
	}
	m := newMemo(x.taker)
	m.all = x.r.opts.all
	x.stepper = m
	return m
}

// halt reports whether the exhaustive phase is to stop in the middle of a state.
func (r *runner) halt() bool {
	return r.Stopped() || r.opts.enough(r.stats)
}

// roots visits the states in which a run may start: one for each list of
// answers that the starts of the nodes are given.
func (x *explorer) roots() error {
	if x.lead != nil {
		return x.rootAt(x.lead)
	}
	x.step.coins.Reset()
	x.r.Allow(x.c, x.w)
	x.current = noParent
	for {
		x.step.begun = true
		x.r.Pulse.Tick()
		x.mark(noEvent, nil)
		x.w.Start(&x.step)
		x.step.begun = false
		if x.w.Bound() != "" {
			return errBound
		}
		x.lastCoins = x.step.coins.Answers()
		x.weigh()
		if err := x.reached(noParent, 0); err != nil {
			return err
		}
		if !x.step.coins.Next() {
			x.sampled = x.sampled || x.step.coins.Sampled()
			return x.step.coins.Err()
		}
	}
}

// weigh sets how much of the work is tested, by the first state, which the world
// is in.
func (x *explorer) weigh() {
	if x.r.share.Every == 0 {
		_, memo := x.stepper.(*memo)
		x.r.share.Weigh(memo, len(x.w.Lines()))
		x.pairs = run.Share{Every: 2 * x.r.share.Every, Least: min(duplicatesLeast, x.r.share.Least)}
	}
}

// rootAt visits the state that a prefix leads to.
func (x *explorer) rootAt(k *run.Fork) error {
	x.r.Allow(x.c, x.w)
	x.current = noParent
	src := choose.NewRaw(k.Prefix)
	x.step.coins.Reset()
	x.mark(noEvent, nil)
	x.w.Start(src)
	for x.w.Steps() < k.Steps {
		x.r.Pulse.Tick()
		if x.w.Step(src) != world.Stepped {
			return fmt.Errorf("macemc bug: search: a prefix that was taken could not be taken again: %w", x.w.Err())
		}
	}
	if x.w.Bound() != "" {
		return errBound
	}
	x.weigh()
	return x.reached(noParent, 0)
}

// arrived counts a step that was taken in the world, and visits where it led.
func (x *explorer) arrived(state uint32, k int) error {
	x.r.stats.Executed++
	x.r.stats.Transitions++
	x.r.share.Took(1, false)
	if x.steps != nil {
		if failure := x.steps.Check(); failure != nil {
			x.lastCoins = x.step.coins.Answers()
			return x.wrong(failure, false)
		}
	}
	return x.reached(state, k)
}

// reached visits the state that the world is in.
func (x *explorer) reached(parent uint32, event int) error {
	h := x.w.Hash()
	if failure := x.w.Failed(); failure != nil {
		return &wrong{failure: failure}
	}
	if err := x.room(1); err != nil {
		return err
	}
	x.lastCoins = x.step.coins.Answers()
	coins, ok := x.lists.number(x.lastCoins)
	if !ok || event > math.MaxUint16 {
		x.sampled = true
		return nil
	}
	if parent == noParent {
		x.w.Save(x.bank, x.to)
		x.pack(x.to)
	} else {
		x.start(x.rec(parent))
		moved, at := x.w.SaveMoved(x.bank), x.w.At()
		for _, p := range moved {
			if at[p] != x.v[p] {
				x.put(int(p), at[p])
			}
		}
	}
	x.growing.RLock()
	fresh := x.add(h, origin{parent, uint16(event), coins})
	x.growing.RUnlock()
	if !fresh {
		return x.duplicate(h)
	}
	x.told()
	if failure := x.w.CheckLinks(); failure != nil {
		return x.wrongState(failure, false)
	}
	return x.visit(h, x.w.NodesHash(), x.w.InFlight(), false, nil)
}

// visit looks at a new state, the last one that was added: by what is known of
// its nodes, or else in the world, which load brings there. Nil: it is there.
// goesOn: something is known to be possible in it.
func (x *explorer) visit(h, nodes canon.Hash, flying int, goesOn bool, load func()) error {
	x.remember(h)
	s := x.next - 1
	bring := func() {
		if load != nil {
			load()
			load = nil
		}
	}
	said, known := x.judged.get(nodes, flying)
	if !known {
		bring()
		x.mark(x.lastEvent, x.lastCoins)
		if failure := x.w.Check(); failure != nil {
			return x.wrongState(failure, false)
		}
		x.w.CoverState(x.depth())
		said = x.judge()
		x.judged.note(x.w, nodes, flying, said)
	}
	if p := x.r.space; p != nil && p.due(x.depth()) {
		bring()
		p.look(x.depth(), x.w.Lines())
	}
	inside := said&saidInside != 0
	if x.w.CanBeLive() {
		good := said&saidGood != 0
		if !good && said&saidBusy == 0 && (!goesOn || x.r.Sys.Weight != nil) {
			if bring(); x.w.Settled() {
				rest, seems := x.w.Failure(sim.VerdictDead, ""), dead(x.w, 0)
				rest.Property, rest.Failing = seems.Property, seems.Failing
				return x.wrongState(rest, true)
			}
		}
		if !x.c.Faults && (good || !inside) { // else the healed states are other ones
			x.block(s).live.set(s)
		}
	}
	if !inside {
		x.inside = false
		x.leave(s)
	}
	x.r.stats.States++
	if x.r.share.Due() {
		return x.audit(h)
	}
	return nil
}

// wrongState is told what is wrong with the state that was added last, which is
// not expanded.
func (x *explorer) wrongState(failure *sim.Failure, dead bool) error {
	x.leave(x.next - 1)
	if x.team != nil {
		x.team.wrong(x, &wrong{failure: failure, dead: dead})
		return nil
	}
	return x.wrong(failure, dead)
}

// depth is how far the state that is visited is from the start.
func (x *explorer) depth() int {
	if x.current == noParent {
		return 0
	}
	return x.r.stats.Depth + 1
}

// audit takes the run to the state that was just reached again, from its
// start, in lockstep and with every check on. It must come to the same state:
// neither the service nor the engine may depend on what else was run before.
func (x *explorer) audit(h canon.Hash) error {
	answers := x.found()
	r, steps := x.r, answers.Length()
	end, failure, w := r.Run(run.Repeat(answers, x.c, steps), true)
	r.share.Took(steps, true)
	r.Climate, r.Exploring = x.c, x.taker
	if failure == nil && end == run.EndLeft && w.Hash() == h {
		return nil
	}
	if at, field := x.parts(answers); field != "" {
		return r.leftOut(at, "a state does something else than another one that has its identity", field)
	}
	if failure != nil {
		return &wrong{failure: failure}
	}
	return &wrong{failure: w.Failure(sim.VerdictNondeterminism, ""), strayed: true}
}

// covered is what the states that were expanded say about the space.
func (x *explorer) covered(open bool) State {
	switch {
	case x.sampled:
		return StateSampled
	case open:
		return StateBounded
	case !x.inside:
		return StateExhaustedWithin
	default:
		return StateExhausted
	}
}

// lookUp visits those states of a memo's batch that are new.
func (x *explorer) lookUp(m *memo) error {
	if err := x.room(len(m.next)); err != nil {
		return err
	}
	x.growing.RLock()
	defer x.growing.RUnlock()
	defer x.told()
	m.touch()
	x.r.share.Took(len(m.next)+len(m.seen), false)
	x.r.Pulse.Tick()
	seen, candidates := m.seen, len(m.next)
	for j := range candidates {
		for len(seen) > 0 && int(seen[0].next) <= j {
			if err := x.pass(m, &seen[0]); err != nil {
				return err
			}
			seen = seen[1:]
		}
		c := &m.next[j]
		p := &m.parents[c.parent]
		x.r.stats.Transitions++
		x.r.stats.Executed++
		m.write(c)
		if !x.add(c.sum, origin{p.state, c.event, c.coins}) {
			if err := x.again(m, c); err != nil {
				return err
			}
			continue
		}
		x.came(c.by)
		x.current, x.lastEvent, x.lastCoins = p.state, int(c.event), x.lists.get(c.coins)
		if err := x.visit(c.sum, m.nodesOf(c), p.fly+int(c.fly), p.both && c.by != 0, x.bring); err != nil {
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

// again is told of a candidate that is packed, and known.
func (x *explorer) again(m *memo, c *candidate) error {
	if x.pairs.Due() {
		x.current, x.lastEvent, x.lastCoins = m.parents[c.parent].state, int(c.event), x.lists.get(c.coins)
	}
	return x.duplicate(c.sum)
}
