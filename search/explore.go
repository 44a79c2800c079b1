package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/sim"
)

// explorer visits every state once, level by level: the local engine. A state
// is kept as a vector of its parts' numbers; to take a step from it, the world
// is loaded with it, and the one node that runs is copied. The first state that
// is found wrong is therefore as near to the start as any.
type explorer struct {
	r     *runner
	w     *world.World
	prior *world.World      // at the state before, for step properties; nil: there are none
	steps *world.Transition // between the two
	bank  *world.Bank
	c     climate

	*entry        // the states
	full   bool   // and there is no room for more
	memo   *memo  // nil: every step is taken in the world
	team   *team  // it expands a level together with others; nil: it does so alone
	judged judged // what was said of states
	lists  *coinLists
	pairs  share                 // of the steps to known states, those that are tested
	sides  *sides                // in which they are
	sample map[canon.Hash]uint32 // of the states, where only fingerprints are kept

	lead *fork // where the first state is; nil: at the start

	v, to     world.Vector
	step      stepper
	lastEvent int    // the step that was taken last: its event,
	lastCoins []int  // and the answers to its coins
	current   uint32 // the state that is expanded
	inside    bool   // no state is outside System.Within
	sampled   bool   // a limit on answers was met
	violated  *sim.Failure
	strayed   bool     // a run that was taken again came to another state
	closure   *closure // the healed states are explored, rare steps are not taken; nil: all are
	dead      bool     // the last state found is not live and will never change, faults apart
}

// noEvent is before the first step from a state: only hooks of the system have
// been asked.
const noEvent = -1

// coinLists numbers the lists of answers that coins were given in one step.
type coinLists struct {
	mu    sync.Mutex
	of    map[string]uint16
	lists atomic.Pointer[[][]int]
	key   []byte
}

// number is the number of a list; false: there are too many of them, and this
// one is left out.
func (c *coinLists) number(answers []int) (uint16, bool) {
	if len(answers) == 0 {
		return 0, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.key = c.key[:0]
	for _, a := range answers {
		c.key = binary.AppendUvarint(c.key, uint64(a))
	}
	if n, known := c.of[string(c.key)]; known {
		return n, true
	}
	if c.of == nil {
		c.of = map[string]uint16{}
		c.lists.Store(&[][]int{nil})
	}
	lists := *c.lists.Load()
	if len(lists) > math.MaxUint16 {
		return 0, false
	}
	n := uint16(len(lists))
	lists = append(lists, append([]int{}, answers...)) // whoever has the shorter list sees nothing of it
	c.of[string(c.key)] = n
	c.lists.Store(&lists)
	return n, true
}

func (c *coinLists) get(n uint16) []int {
	if n == 0 {
		return nil
	}
	return (*c.lists.Load())[n]
}

// stepper answers one step: the event it is told, and all answers to the coins
// of its handler, one list after the other.
type stepper struct {
	event int
	coins choose.Odometer
	pulse *pulse
	begun bool // the step has not come to its end
	lists int  // lists of answers that the event was given
	taken int
	halt  func() bool // asked now and then, whether to stop
}

// errBound says that a node holds a function with variables, which no copy of
// the node can have for its own: see World.Bound.
var errBound = errors.New("nodes of this system cannot be copied")

// errHalt ends an exploration that was told to stop.
var errHalt = errors.New("the search was told to stop")

func (s *stepper) Answer(q *choose.Question) int {
	if q.Kind == choose.Event {
		return s.event
	}
	k := s.coins.Answer(q)
	s.pulse.tick()
	return k
}

// take lets the world take the step.
func (s *stepper) take(w *world.World) error {
	if s.taken++; s.taken%256 == 0 && s.halt() {
		return errHalt
	}
	s.begun = true
	s.pulse.tick()
	if w.Step(s) != world.Stepped {
		return fmt.Errorf("macemc bug: search: a step that was possible could not be taken: %w", w.Err())
	}
	s.begun = false
	return nil
}

func (s *stepper) Err() error { return s.coins.Err() }

// newExplorer stands before the first state. p: fingerprints are kept, not states.
func (r *runner) newExplorer(c climate, p *prints) (*explorer, error) {
	l, err := r.newLedger(r.world.Places(), p)
	if err != nil {
		return nil, err
	}
	return r.newExplorerIn(c, l)
}

// newExplorerIn writes into a ledger.
func (r *runner) newExplorerIn(c climate, l *ledger) (*explorer, error) {
	w, err := r.newWorld(world.Config{Coverage: r.coverage})
	if err != nil {
		return nil, err
	}
	x := &explorer{r: r, w: w, c: c, bank: w.NewBank(), lists: &coinLists{}, inside: true, entry: l.entry()}
	if r.always {
		if x.prior, err = r.newWorld(world.Config{}); err != nil {
			return nil, err
		}
		x.prior.Track()
		x.steps = world.StepChecks(x.prior, w, r.opts.Properties)
	}
	w.Track()
	x.step.pulse, x.step.halt = &r.pulse, r.halt
	x.v, x.to = make(world.Vector, x.bank.Places()), make(world.Vector, x.bank.Places())
	return x, nil
}

// halt reports whether the exhaustive phase is to stop in the middle of a state.
func (r *runner) halt() bool {
	return r.stopped() || r.opts.enough(r.stats)
}

// roots visits the states in which a run may start: one for each list of
// answers that the starts of the nodes are given.
func (x *explorer) roots() error {
	if x.lead != nil {
		return x.rootAt(x.lead)
	}
	x.step.coins.Reset()
	x.r.allow(x.c, x.w)
	x.current = noParent
	for {
		x.step.begun = true
		x.r.pulse.tick()
		x.w.Start(&x.step)
		x.step.begun = false
		if x.w.Bound() != "" {
			return errBound
		}
		x.lastCoins = x.step.coins.Answers()
		x.weigh()
		if err := x.reached(noParent, 0); err != nil || x.violated != nil {
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
	if x.r.share.every == 0 {
		x.r.share.weigh(x.memo != nil, len(x.w.Lines()))
		x.pairs = share{every: 2 * x.r.share.every, least: min(duplicatesLeast, x.r.share.least)}
	}
}

// rootAt visits the state that a prefix leads to.
func (x *explorer) rootAt(k *fork) error {
	x.r.allow(x.c, x.w)
	x.current = noParent
	src := choose.NewRaw(k.prefix)
	x.step.coins.Reset()
	x.w.Start(src)
	for x.w.Steps() < k.steps {
		x.r.pulse.tick()
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

// expand takes every step that is possible in a state.
func (x *explorer) expand(state uint32) error {
	x.current, x.lastEvent = state, noEvent
	if x.memo != nil {
		return x.memo.expand(state)
	}
	x.get(state, x.v)
	return x.expandInWorld(state)
}

// expandInWorld takes the steps from the state x.v.
func (x *explorer) expandInWorld(state uint32) error {
	x.w.Load(x.bank, x.v)
	if x.prior != nil {
		x.prior.Load(x.bank, x.v)
	}
	return x.takeFrom(state, 0)
}

// takeFrom takes the events of the state that is loaded, from the k-th on.
func (x *explorer) takeFrom(state uint32, k int) error {
	for n := x.w.Enabled(); k < n; k++ {
		if x.closure.passes(k) {
			continue
		}
		if err := x.takeEvent(state, k); err != nil || x.violated != nil {
			return err
		}
	}
	return nil
}

// takeEvent takes the k-th event of the state that is loaded, for all answers
// to its coins, and comes back.
func (x *explorer) takeEvent(state uint32, k int) error {
	x.step.event = k
	x.step.coins.Reset()
	for {
		x.lastEvent = k
		if err := x.take(state, k); err != nil || x.violated != nil {
			x.lastCoins = x.step.coins.Answers()
			return err
		}
		x.w.Back(x.bank, x.v)
		if !x.moreCoins() {
			return nil
		}
	}
}

// listsMost is how many lists of answers to the coins of one step are taken.
const listsMost = 1 << 16

// moreCoins goes on to the next list of answers to the coins of a step.
func (x *explorer) moreCoins() bool {
	more := x.step.coins.Next()
	x.step.lists++
	if more && x.step.lists >= listsMost {
		more, x.sampled = false, true
	}
	if !more {
		x.step.lists = 0
	}
	x.sampled = x.sampled || x.step.coins.Sampled()
	return more
}

func (x *explorer) take(state uint32, k int) error {
	if err := x.step.take(x.w); err != nil {
		return err
	}
	x.r.stats.Steps++
	if x.closure != nil {
		return x.closure.reached()
	}
	x.r.stats.Executed++
	x.r.stats.Transitions++
	x.r.share.took(1, false)
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
	if x.violated = x.w.Failed(); x.violated != nil {
		return nil
	}
	if ok, err := x.room(1); err != nil || !ok {
		x.full = true
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
		if failure := x.w.Check(); failure != nil {
			return x.wrongState(failure, false)
		}
		x.w.CoverState(x.depth())
		said = x.judge()
		x.judged.put(x.w.Counted(), nodes, flying, said)
	}
	if p := x.r.space; p != nil && p.due(x.depth()) {
		bring()
		p.look(x.depth(), x.w.Lines())
	}
	inside := said&saidInside != 0
	if x.w.CanBeLive() {
		good := said&saidGood != 0
		if !good && said&saidBusy == 0 && (!goesOn || x.r.sys.Weight != nil) {
			if bring(); x.w.Settled() {
				names, _ := x.w.NotLive()
				dead := x.w.Failure(sim.VerdictDead, "")
				dead.Property = join(names, ", ")
				return x.wrongState(dead, true)
			}
		}
		if !x.c.faults && (good || !inside) { // else the healed states are other ones
			x.block(s).live.set(s)
		}
	}
	if !inside {
		x.inside = false
		x.leave(s)
	}
	x.r.stats.States++
	if x.r.share.due() {
		return x.audit(h)
	}
	return nil
}

// wrongState is told what is wrong with the state that was added last, which is
// not expanded.
func (x *explorer) wrongState(failure *sim.Failure, dead bool) error {
	x.leave(x.next - 1)
	if x.team != nil {
		x.team.wrong(x, failure, dead)
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

// sum is the identity of a state.
func (x *explorer) sum(v world.Vector) (h canon.Hash) {
	for p, id := range v {
		if id != 0 {
			h = h.Add(x.bank.Sum(p, id))
		}
	}
	return h
}

// audit takes the run to the state that was just reached again, from its
// start, in lockstep and with every check on. It must come to the same state:
// neither the service nor the engine may depend on what else was run before.
func (x *explorer) audit(h canon.Hash) error {
	answers := x.found()
	r, steps := x.r, answers.length()
	end, failure, w := r.run(repeat(answers, x.c, steps), true)
	r.share.took(steps, true)
	r.climate, r.exploring = x.c, x
	if failure == nil && end == endLeft && w.Hash() == h {
		return nil
	}
	if at, field := x.parts(answers); field != "" {
		return r.leftOut(at, "a state does something else than another one that has its identity", field)
	}
	if x.violated = failure; failure == nil {
		x.strayed = true
		x.violated = w.Failure(sim.VerdictNondeterminism, "")
	}
	return nil
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

// stuck are the answers of the run whose last step has not returned, and how
// many they are.
func (x *explorer) stuck() (choose.Source, int) {
	t := x.found()
	return t, t.answers()
}

// found are the answers of the run that the last step was of.
func (x *explorer) found() *told {
	coins := x.lastCoins
	if x.step.begun {
		coins = x.step.coins.Answers()
	}
	if x.current == noParent {
		return x.led(told{start: coins})
	}
	answers := x.path(x.current)
	if x.lastEvent == noEvent {
		return &answers
	}
	answers.steps = append(answers.steps, taken{x.lastEvent, coins})
	return &answers
}

// path is the answers that lead to a state.
func (x *explorer) path(state uint32) (answers told) {
	for s := state; ; s = x.origin(s).parent {
		o := x.origin(s)
		if o.parent == noParent {
			answers = *x.led(told{start: x.lists.get(o.coins), steps: answers.steps})
			break
		}
		answers.steps = append(answers.steps, taken{int(o.event), x.lists.get(o.coins)})
	}
	for i, j := 0, len(answers.steps)-1; i < j; i, j = i+1, j-1 {
		answers.steps[i], answers.steps[j] = answers.steps[j], answers.steps[i]
	}
	return answers
}

// led is answers that begin where the explorer does.
func (x *explorer) led(t told) *told {
	if x.lead != nil {
		t.lead, t.leads = x.lead.prefix, x.lead.steps
	}
	return &t
}
