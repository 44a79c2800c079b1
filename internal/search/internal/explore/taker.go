package explore

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/stubborn"
	"macemc/internal/world"
)

// Taker takes the steps of states that are kept as vectors of their parts' numbers: it
// loads the world with one, and copies the one node that runs. It also knows the run that
// led to the current state. Its visitor handles the state that a step leads to.
type Taker struct {
	Owner   *Owner
	World   *world.World
	Bank    *world.Bank
	Climate run.Climate
	Begin   *run.Fork // where the first state is; nil means at the start
	*Entry            // the states
	Lists   *CoinLists
	Visitor Visitor

	From, To world.Vector // the state whose steps are taken; one that is packed or brought
	Step     answerer
	Spot
	retaking *retaking // the step that is being taken again; nil if none is
	Sampled  bool      // a limit on answers was met
	Spared   bool      // a fault was not taken: see Owner.Few
	looks    bool      // steps are looked up: those that are taken in the world are handler runs

	chain chain // what of the run is kept

	runs func(state uint32) run.Answers // the run to a state; nil if the ledger has it

	Reduction *Reduction   // what leaves steps out, or nil
	only      stubborn.Set // the events that are taken now, by number, or nil if all are

	Healed  bool // the states are healed forms of others: they have no runs of their own, and rare steps are not taken
	Patient bool // timers wait while anything is under way to or from their node
}

// A Spot is the step that was taken last.
type Spot struct {
	Current   uint32 // the state it was taken from
	LastEvent int    // its event
	lastCoins []int  // the answers to its coins
}

// A Visitor handles the states that steps lead to.
type Visitor interface {
	// Arrived is called when the world has taken the k-th event of a state.
	Arrived(state uint32, k int) error
	// LookUp is called with the steps of a memo's batch, which were not taken in the world,
	// in their order.
	LookUp(m *Memo) error
}

// A Stepper takes all steps of a state that may be taken now.
type Stepper interface {
	Expand(state uint32) error
	// Rest takes the events from the k-th on, after one that failed.
	Rest(state uint32, k int) error
	// Settle passes the remaining steps to the visitor.
	Settle() error
}

// InWorld is the stepper that takes every step in the world.
type InWorld struct{ *Taker }

// Expand takes every step of a state.
func (s InWorld) Expand(state uint32) error { return s.Rest(state, 0) }

// Rest takes the events from the k-th on.
func (s InWorld) Rest(state uint32, k int) error {
	s.load(state)
	return s.takeFrom(state, k)
}

// Settle does nothing: the visitor has got each step.
func (s InWorld) Settle() error { return nil }

// noEvent is before the first step from a state: only hooks of the system have
// been asked.
const noEvent = -1

// newTaker makes a taker with a world of its own, which writes into a ledger.
func newTaker(r *Owner, c run.Climate, l *Ledger) (*Taker, error) {
	w, err := r.NewWorld(world.Config{Coverage: r.Coverage})
	if err != nil {
		return nil, err
	}
	w.State.Track()
	t := &Taker{Owner: r, World: w, Climate: c, Bank: w.State.NewBank(), Lists: &CoinLists{}, Entry: l.Entry()}
	t.Step = answerer{Pulse: &r.Pulse, of: t, Halt: r.Halt}
	t.From, t.To = make(world.Vector, t.Bank.Places()), make(world.Vector, t.Bank.Places())
	return t, nil
}

// lookUp records that steps are looked up.
func (t *Taker) lookUp() { t.looks = true }

// share makes the taker number parts and answers as another one does, and begin
// where that begins.
func (t *Taker) share(with *Taker) {
	t.numbers(with.Bank.Share(), with.Lists)
	t.Begin = with.Begin
}

// numbers makes the taker number parts and answers by a bank and by lists.
func (t *Taker) numbers(b *world.Bank, l *CoinLists) { t.Bank, t.Lists = b, l }

// begin prepares for the first state.
func (t *Taker) begin() {
	t.Step.begin(0)
	t.Owner.Allow(t.Climate, t.World)
	t.Spot = Spot{Current: NoParent}
}

// load loads a state, of which no step was taken yet, into the world.
func (t *Taker) load(state uint32) {
	t.Spot = Spot{Current: state, LastEvent: noEvent}
	t.Get(state, t.From)
	t.World.State.Load(t.Bank, t.From)
}

// answered records the answers to the coins of the last step.
func (t *Taker) answered() { t.lastCoins = t.Step.coins.Answers() }

// sampled records that a limit on answers was met.
func (t *Taker) sampled() { t.Sampled = true }

// explores makes the search's watch look at this exploration.
func (t *Taker) explores() { t.Owner.Climate, t.Owner.Exploring = t.Climate, t }

// Heals returns a taker of the healed forms of the explorer's states, which writes into a ledger. It
// shares the world and the bank with the explorer, whose states have the runs.
func (x *Explorer) Heals(r *Owner, l *Ledger) *Taker {
	t := &Taker{
		Owner: r, World: x.World, Climate: x.Climate, Bank: x.Bank, Lists: x.Lists, Entry: l.Entry(), Healed: true,
		From: make(world.Vector, len(x.From)), To: make(world.Vector, len(x.To)),
	}
	t.Step = answerer{Pulse: &r.Pulse, Halt: r.Stopped}
	return t
}

// Visits sets who gets the states that steps lead to, and Limit notes that a limit on answers was met.
func (t *Taker) Visits(v Visitor) { t.Visitor = v }
func (t *Taker) Limit()           { t.sampled() }

// Coins returns the answers to the coins of the step that is taken.
func (t *Taker) Coins() []int { return t.Step.coins.Answers() }

// retake takes an event of the loaded state again, with answers to its coins.
func (t *Taker) retake(v retaking, event int, coins []int) {
	t.retaking, t.LastEvent, t.lastCoins = &v, event, coins
	t.mark(event, coins)
	t.Owner.Pulse.Tick()
	t.World.Retake(event, coins)
	t.Owner.Pulse.Pass()
	t.retaking = nil
}

// unwound returns the step that was being taken again when a panic ended it, or
// nil.
func (t *Taker) unwound() (v *retaking) {
	v, t.retaking = t.retaking, nil
	return v
}

// takeFrom takes the events of the state that is loaded, from the k-th on.
func (t *Taker) takeFrom(state uint32, k int) error {
	for n := t.World.Events.Count(); k < n; k++ {
		if t.skips(k) {
			continue
		}
		if err := t.takeEvent(state, k); err != nil {
			return err
		}
		if t.Patient || t.Owner.Few != 0 { // skips looks at the next event
			t.World.Events.Count()
		}
	}
	return nil
}

// skips reports whether the k-th event of the world should not be taken now.
func (t *Taker) skips(k int) bool {
	return t.omits(k) || t.Healed && t.World.Events.Rare(k) || t.Patient && t.World.Events.Hasty(k) || t.spared(k)
}

// reduces makes a reduction leave steps out.
func (t *Taker) reduces(r *Reduction) { t.Reduction = r }

// takesOnly makes the taker take some events only; nil means all.
func (t *Taker) takesOnly(events stubborn.Set) { t.only = events }

// omits reports whether the k-th event is left out by takesOnly.
func (t *Taker) omits(k int) bool { return t.only != nil && !t.only.Has(k) }

// spared reports whether the k-th event is a fault beyond those that explored runs have, and
// notes it.
func (t *Taker) spared(k int) bool {
	if !t.spent() || !t.World.Events.Look(k).Kind.Fault() {
		return false
	}
	t.spares()
	return true
}

// spent reports whether the run to the world's state already has Owner.Few faults, which is the most
// that an explored run may have.
func (t *Taker) spent() bool {
	return t.Owner.Few != 0 && !t.Healed && t.World.Environ.Spent() >= t.Owner.Few
}

// spares records that a fault was not taken.
func (t *Taker) spares() { t.Spared = true }

// takeEvent takes the k-th event of the state that is loaded, for all answers
// to its coins, and comes back.
func (t *Taker) takeEvent(state uint32, k int) error {
	t.Step.begin(k)
	return t.takeOn(state, k)
}

// takeOn returns takeEvent for the answers that come next, and those after them.
func (t *Taker) takeOn(state uint32, k int) error {
	for {
		t.LastEvent = k
		err := t.Step.take(t.World)
		if err == nil {
			t.Owner.Counts.ran(t.looks)
			err = t.Visitor.Arrived(state, k)
		}
		if err != nil {
			t.answered()
			return err
		}
		t.World.State.Back(t.Bank, t.From)
		if !t.moreCoins() {
			return nil
		}
	}
}

// listsMost is the largest number of lists of answers that are tried for the coins of one step.
const listsMost = 1 << 16

// moreCoins goes on to the next list of answers to the coins of a step.
func (t *Taker) moreCoins() bool {
	more, sampled := t.Step.next()
	t.Sampled = t.Sampled || sampled
	return more
}

// Bring loads the state that was added last.
func (t *Taker) Bring() {
	t.Get(t.Next-1, t.To)
	t.World.State.Load(t.Bank, t.To)
}

// lead loads the state that a step leads to, by what it changes.
func (t *Taker) lead(step Spot, changes []change) {
	t.Get(step.Current, t.To)
	for _, ch := range changes {
		t.To[ch.place] = ch.id
	}
	t.World.State.Load(t.Bank, t.To)
	t.Spot = step
}

// Sum returns the identity of a state.
func (t *Taker) Sum(v world.Vector) (h canon.Hash) {
	for p, id := range v {
		if id != 0 {
			h = h.Add(t.Bank.Sum(p, id))
		}
	}
	return h
}

// Stuck returns the answers of the run whose last step has not returned, and how many they
// are.
func (t *Taker) Stuck() (choose.Source, int) {
	run := t.Found()
	return run, run.Answers()
}

// Within returns the world in which the steps are taken.
func (t *Taker) Within() (w *world.World, healed bool) { return t.World, t.Healed }

// Found returns the answers of the run that the last step was of.
func (t *Taker) Found() *run.Answers {
	coins := t.lastCoins
	if t.Step.Begun {
		coins = t.Step.coins.Answers()
	}
	if t.Current == NoParent {
		return t.led(run.Answers{Start: coins})
	}
	answers := t.Path(t.Current)
	if t.LastEvent == noEvent {
		return &answers
	}
	answers.Steps = append(answers.Steps, run.Taken{Event: t.LastEvent, Coins: coins})
	return &answers
}

// Path returns the answers that lead to a state.
func (t *Taker) Path(state uint32) (answers run.Answers) {
	if t.runs != nil {
		return t.runs(state)
	}
	for s := state; ; s = t.Origin(s).Parent {
		o := t.Origin(s)
		if o.Parent == NoParent {
			answers = *t.led(run.Answers{Start: t.Lists.Get(o.coins), Steps: answers.Steps})
			break
		}
		answers.Steps = append(answers.Steps, run.Taken{Event: int(o.event), Coins: t.Lists.Get(o.coins)})
	}
	for i, j := 0, len(answers.Steps)-1; i < j; i, j = i+1, j-1 {
		answers.Steps[i], answers.Steps[j] = answers.Steps[j], answers.Steps[i]
	}
	return answers
}

// led adds the prefix of the exploration, if it has one, to the answers of a run.
func (t *Taker) led(run run.Answers) *run.Answers {
	if t.Begin != nil {
		run.Prefix, run.PrefixSteps = t.Begin.Prefix, t.Begin.Steps
	}
	return &run
}

// answerer gives the answers of one step: the given event, and all answers to the coins of
// its handler, one list after the other.
type answerer struct {
	event int
	coins choose.Odometer
	Pulse *run.Pulse
	of    *Taker // whose run is kept, or nil if the step is of no run, or of one that is known
	Begun bool   // the step has not come to its end
	lists int    // lists of answers that the event was given
	taken int
	Halt  func() bool // asked now and then, whether to stop
}

func (s *answerer) Answer(q *choose.Question) int {
	if q.Kind == choose.Event {
		return s.event
	}
	s.Pulse.Pass()
	k := s.coins.Answer(q)
	s.Pulse.Tick()
	if s.of != nil {
		s.Pulse.Add(k)
	}
	return k
}

// begin begins with the first list of answers to the coins of an event.
func (s *answerer) begin(event int) {
	s.event = event
	s.coins.Reset()
}

// next goes on to the next list of answers to the coins of the event. It reports
// whether there is one, and whether answers were left out.
func (s *answerer) next() (more, sampled bool) {
	more = s.coins.Next()
	if s.lists++; more && s.lists >= listsMost {
		more, sampled = false, true
	}
	if !more {
		s.lists = 0
	}
	return more, sampled || s.coins.Sampled()
}

// start lets the world start its nodes.
func (s *answerer) start(w *world.World) {
	s.Begun = true
	s.Pulse.Tick()
	s.of.mark(noEvent, nil)
	w.Start(s)
	s.Begun = false
}

// fail ends a step that failed before its end.
func (s *answerer) fail() { s.Begun = false }

// take lets the world take the step.
func (s *answerer) take(w *world.World) error {
	if s.taken++; s.taken%256 == 0 && s.Halt() {
		return ErrHalt
	}
	s.Begun = true
	s.Pulse.Tick()
	var r *Reduction
	if s.of != nil {
		s.of.mark(s.event, nil)
		if r = s.of.Reduction; r != nil {
			r.begin(s.of, s.event)
		}
	}
	if w.Step(s) != world.Stepped {
		return fmt.Errorf("macemc bug: search: a step that was possible could not be taken: %w", w.Run.Err())
	}
	s.Pulse.Pass()
	s.Begun = false
	if r != nil {
		r.observe(s.of)
	}
	return nil
}

func (s *answerer) Err() error { return s.coins.Err() }

// CoinLists numbers the lists of answers that coins were given in one step.
type CoinLists struct {
	mu    sync.Mutex
	of    map[string]uint16
	lists atomic.Pointer[[][]int]
	key   []byte
}

// Number returns the number of a list, or false if there are too many of them, and this one
// is left out.
func (c *CoinLists) Number(answers []int) (uint16, bool) {
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
	lists = append(lists, append([]int{}, answers...)) // a copy, so that holders of the shorter list do not see it
	c.of[string(c.key)] = n
	c.lists.Store(&lists)
	return n, true
}

// Get returns the list with a number.
func (c *CoinLists) Get(n uint16) []int {
	if n == 0 {
		return nil
	}
	return (*c.lists.Load())[n]
}
