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

// Taker takes the steps of kept states: it loads a state into its world, takes one step, and hands the resulting
// state to its visitor. A state is kept as a vector of the numbers that the bank gives its parts, and only the
// node that runs is copied. The taker also knows the run that led to the current state.
type Taker struct {
	Owner   *Owner
	World   *world.World
	Bank    *world.Bank
	Climate run.Climate
	Begin   *run.Fork // the prefix that leads to the first state; nil means the start of the system
	*Entry            // the states
	Lists   *CoinLists
	Visitor Visitor

	From, To world.Vector // From is the state whose steps are taken; To is scratch space for a state to be packed or loaded
	Step     answerer
	Spot
	retaking *retaking // the step that is being repeated, or nil
	Sampled  bool      // a limit on answers was met
	Spared   bool      // a fault was left out: see Owner.Few
	looks    bool      // the results of other steps are looked up, so steps taken in the world count as handler runs

	chain chain // the run to the current state, as it was last written for a parent process

	runs func(state uint32) run.Answers // returns the run to a state; nil if the ledger knows the runs

	Reduction *Reduction       // leaves out steps, or nil
	only      stubborn.Set     // the indices of the events that may be taken now, or nil if all may
	Leaves    func(k int) bool // reports whether event number k of the state in the world is left out; nil means that none is

	Healed  bool // the states are healed forms of others: they have no runs of their own, and rare steps are not taken
	patient bool // a timer fires only if no message is under way to or from its node
	eager   bool // the visitor is called after each step, and not after a batch of steps
}

// A Spot identifies the step that was taken last.
type Spot struct {
	Current   uint32 // the state from which it was taken
	LastEvent int    // the index of its event in that state
	lastCoins []int  // the answers to its coins
}

// A Visitor handles the states that steps lead to.
type Visitor interface {
	// Arrived is called when the world has taken event number k of a state.
	Arrived(state uint32, k int) error
	// LookUp is called with a memo whose batch has steps that were looked up, not taken in the world, in their
	// order.
	LookUp(m *Memo) error
}

// A Stepper takes all steps of a state that may be taken at present, and hands the resulting states to a visitor.
type Stepper interface {
	Expand(state uint32) error
	// Rest takes the events of a state from number k on, for example after event k-1 has failed.
	Rest(state uint32, k int) error
	// Settle hands the results that are still in a batch to the visitor.
	Settle() error
}

// InWorld is the Stepper that takes every step in the world.
type InWorld struct{ *Taker }

// Expand takes every step of a state.
func (s InWorld) Expand(state uint32) error { return s.Rest(state, 0) }

// Rest takes the events of a state from number k on.
func (s InWorld) Rest(state uint32, k int) error {
	s.load(state)
	return s.takeFrom(state, k)
}

// Settle does nothing, since InWorld calls the visitor after each step.
func (s InWorld) Settle() error { return nil }

// noEvent is used in place of the number of an event while no step from a state is taken yet, and
// only hooks of the system have run.
const noEvent = -1

// newTaker makes a taker with a world of its own, which keeps its states in ledger l.
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

// lookUp records that the results of steps are looked up, so that those taken in the world are counted as handler
// runs.
func (t *Taker) lookUp() { t.looks = true }

// share makes t use the bank and the lists of answers of another taker, and begin from the same prefix.
func (t *Taker) share(with *Taker) {
	t.numbers(with.Bank.Share(), with.Lists)
	t.Begin = with.Begin
}

// numbers makes t use bank b to number parts, and l to number lists of answers.
func (t *Taker) numbers(b *world.Bank, l *CoinLists) { t.Bank, t.Lists = b, l }

// begin prepares the taker for its first state.
func (t *Taker) begin() {
	t.Step.begin(0)
	t.Owner.Allow(t.Climate, t.World)
	t.Spot = Spot{Current: NoParent}
}

// load loads a state into the world, before its first step is taken.
func (t *Taker) load(state uint32) {
	t.Spot = Spot{Current: state, LastEvent: noEvent}
	t.Get(state, t.From)
	t.World.State.Load(t.Bank, t.From)
}

// answered records, in t.lastCoins, the answers that the coins of the last step got.
func (t *Taker) answered() { t.lastCoins = t.Step.coins.Answers() }

// sampled records that a limit was met, so that not all answers to coins, or not all events, are explored.
func (t *Taker) sampled() { t.Sampled = true }

// explores shows the search's watchdog that the steps are those of this taker.
func (t *Taker) explores() { t.Owner.Climate, t.Owner.Exploring = t.Climate, t }

// Heals returns a taker that takes steps from the healed forms of the explorer's states: the same states after
// the environment has healed. The taker writes into ledger l. It shares the explorer's world and bank.
func (x *Explorer) Heals(r *Owner, l *Ledger) *Taker {
	t := &Taker{
		Owner: r, World: x.World, Climate: x.Climate, Bank: x.Bank, Lists: x.Lists, Entry: l.Entry(), Healed: true,
		From: make(world.Vector, len(x.From)), To: make(world.Vector, len(x.To)),
	}
	t.Step = answerer{Pulse: &r.Pulse, Halt: r.Stopped}
	return t
}

// Visits sets the visitor.
func (t *Taker) Visits(v Visitor) { t.Visitor = v }
func (t *Taker) Limit()           { t.sampled() }

// Eagerly calls do. Until do returns, v is the visitor, and it is called after each step, and not after a batch
// of steps.
func (t *Taker) Eagerly(v Visitor, do func() error) error {
	usual := t.Visitor
	t.Visitor, t.eager = v, true
	defer func() { t.Visitor, t.eager = usual, false }()
	return do()
}

// Patiently calls do. Until do returns, a timer fires only if no message is under way to or from its node.
func (t *Taker) Patiently(do func() error) error {
	t.patient = true
	defer func() { t.patient = false }()
	return do()
}

// MovesTo makes the taker keep its states in the ledger of entry e. Its present ledger must be empty.
func (t *Taker) MovesTo(e *Entry) error {
	err := t.Ledger.Close()
	t.Entry = e
	return err
}

// Coins returns the answers that the coins of the present step got. A coin is a choice in the
// middle of a step.
func (t *Taker) Coins() []int { return t.Step.coins.Answers() }

// retake repeats an event of the loaded state, with the given answers to its coins. The argument v
// says on which node the event is repeated.
func (t *Taker) retake(v retaking, event int, coins []int) {
	t.retaking, t.LastEvent, t.lastCoins = &v, event, coins
	t.mark(event, coins)
	t.Owner.Pulse.Tick()
	t.World.Retake(event, coins)
	t.Owner.Pulse.Pass()
	t.retaking = nil
}

// unwound returns the node whose step was being repeated when a panic ended it, or nil if no step was being
// repeated.
func (t *Taker) unwound() (v *retaking) {
	v, t.retaking = t.retaking, nil
	return v
}

// takeFrom takes the events of the loaded state from number k on.
func (t *Taker) takeFrom(state uint32, k int) error {
	for n := t.World.Events.Count(); k < n; k++ {
		if t.skips(k) {
			continue
		}
		if err := t.takeEvent(state, k); err != nil {
			return err
		}
		if t.patient || t.Owner.Few != 0 || t.Leaves != nil { // skips looks at the next event
			t.World.Events.Count()
		}
	}
	return nil
}

// skips reports whether takeFrom must leave out event number k of the loaded state. Examples are an
// event that takesOnly excludes, and a fault if the run already has the number of faults that
// Owner.Few allows.
func (t *Taker) skips(k int) bool {
	return t.omits(k) || t.leaves(k) || t.Healed && t.World.Events.Rare(k) || t.patient && t.World.Events.Hasty(k) || t.spared(k)
}

// reduces makes the taker leave out steps by reduction r.
func (t *Taker) reduces(r *Reduction) { t.Reduction = r }

// takesOnly makes the taker take only the events with these indices; nil means all.
func (t *Taker) takesOnly(events stubborn.Set) { t.only = events }

// omits reports whether takesOnly excludes event number k.
func (t *Taker) omits(k int) bool { return t.only != nil && !t.only.Has(k) }

// leaves reports whether the function t.Leaves excludes event number k.
func (t *Taker) leaves(k int) bool { return t.Leaves != nil && t.Leaves(k) }

// spared reports whether event number k is a fault, and the run already has the largest number of faults,
// Owner.Few. If so, it records that a fault was left out.
func (t *Taker) spared(k int) bool {
	if !t.spent() || !t.World.Events.Look(k).Kind.Fault() {
		return false
	}
	t.spares()
	return true
}

// spent reports whether the run to the world's state already has Owner.Few faults, the most that it may have.
func (t *Taker) spent() bool {
	return t.Owner.Few != 0 && !t.Healed && t.World.Environ.Spent() >= t.Owner.Few
}

// spares records that a fault was left out.
func (t *Taker) spares() { t.Spared = true }

// takeEvent takes event number k of the loaded state, once for each list of answers to its coins (the
// choices in the middle of the step), and then loads the state again.
func (t *Taker) takeEvent(state uint32, k int) error {
	t.Step.begin(k)
	return t.takeOn(state, k)
}

// takeOn takes event number k of the loaded state with the remaining lists of answers to its coins.
func (t *Taker) takeOn(state uint32, k int) error {
	for {
		t.LastEvent = k
		err := t.Step.take(t.World)
		if err == nil {
			t.World.State.Touch(t.Bank)
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

// listsMost is the largest number of lists of answers that are tried for one event.
const listsMost = 1 << 16

// moreCoins selects the next list of answers to the coins of a step, which are the choices in its
// middle. It returns false if all lists were tried.
func (t *Taker) moreCoins() bool {
	more, sampled := t.Step.next()
	t.Sampled = t.Sampled || sampled
	return more
}

// Bring loads the state that was added last into the world.
func (t *Taker) Bring() {
	t.Get(t.Next-1, t.To)
	t.World.State.Load(t.Bank, t.To)
}

// lead loads the state to which a step leads: the state before, with the given changes.
func (t *Taker) lead(step Spot, changes []change) {
	t.Get(step.Current, t.To)
	for _, ch := range changes {
		t.To[ch.place] = ch.id
	}
	t.World.State.Load(t.Bank, t.To)
	t.Spot = step
}

// Sum returns the identity of state v, which is the sum of the hashes of its parts.
func (t *Taker) Sum(v world.Vector) (h canon.Hash) {
	for p, id := range v {
		if id != 0 {
			h = h.Add(t.Bank.Sum(p, id))
		}
	}
	return h
}

// HealedSum returns the identity that state s has after the environment has healed.
func (t *Taker) HealedSum(s uint32) canon.Hash {
	t.Get(s, t.To)
	t.Bank.Heal(t.To)
	return t.Sum(t.To)
}

// Stuck returns the answers of the run whose last step has not returned, and their number.
func (t *Taker) Stuck() (choose.Source, int) {
	run := t.Found()
	return run, run.Answers()
}

// Within returns the world in which the steps are taken, and reports whether its states are healed.
func (t *Taker) Within() (w *world.World, healed bool) { return t.World, t.Healed }

// Found returns the answers of the run that ends with the step taken last.
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

// Path returns the answers of the run that leads to a state.
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

// led returns the answers of a run that begins with the prefix of the exploration, if it has one: the answers of
// the prefix, and then those in run.
func (t *Taker) led(run run.Answers) *run.Answers {
	if t.Begin != nil {
		run.Prefix, run.PrefixSteps = t.Begin.Prefix, t.Begin.Steps
	}
	return &run
}

// answerer answers the questions of one event: it chooses the event, and tries all lists of answers to the coins
// of its handler, one after the other.
type answerer struct {
	event int
	coins choose.Odometer
	Pulse *run.Pulse
	of    *Taker      // the taker whose run is recorded, or nil if there is nothing to record
	Begun bool        // the step has begun and not ended
	lists int         // number of lists of answers that were tried for the event
	taken int         // number of steps taken
	Halt  func() bool // reports whether to stop; called now and then
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

// begin begins a step: it sets the event and the first list of answers to its coins.
func (s *answerer) begin(event int) {
	s.event = event
	s.coins.Reset()
}

// next moves on to the next list of answers to the event's coins. more is false if there is none. sampled reports
// that lists were left out.
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

// fail records that the step failed before its end.
func (s *answerer) fail() { s.Begun = false }

// take makes the world take the step.
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

// CoinLists numbers the lists of answers that were given to the coins of one step. A coin is a
// choice in the middle of a step, such as a toss of the handler.
type CoinLists struct {
	mu    sync.Mutex
	of    map[string]uint16
	lists atomic.Pointer[[][]int]
	key   []byte
}

// Number returns the number of a list of answers. It returns false if all numbers are in use, so that the list
// must be left out.
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
