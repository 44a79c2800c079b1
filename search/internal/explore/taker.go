package explore

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/search/internal/run"
)

// Taker takes the steps of states that are kept as vectors of their parts'
// numbers: the world is loaded with one, and the one node that runs is copied.
// It also knows by which run it came to where it is. What is to be made of the
// state that a step leads to, its visitor says.
type Taker struct {
	Owner   *Owner
	World   *world.World
	Bank    *world.Bank
	Climate run.Climate
	Begin   *run.Fork // where the first state is; nil: at the start
	*Entry            // the states
	Lists   *CoinLists
	Visitor Visitor

	From, To  world.Vector // the state whose steps are taken; one that is packed or brought
	Step      answerer
	LastEvent int       // the step that was taken last: its event,
	lastCoins []int     // and the answers to its coins
	Current   uint32    // the state it was taken from
	retaking  *retaking // a step that is taken again, while it is
	Sampled   bool      // a limit on answers was met

	chain chain // what of the run is kept

	Healed  bool // the states are healed forms of others: they have no runs of their own, and rare steps are not taken
	Patient bool // timers wait while anything is under way to or from their node
}

// A Visitor is told where the steps of states lead.
type Visitor interface {
	// Arrived is told that the world has taken the k-th event of a state.
	Arrived(state uint32, k int) error
	// LookUp is told of the steps of a memo's batch, which were not taken in the
	// world, in their order.
	LookUp(m *Memo) error
}

// A Stepper takes all steps of a state that may be taken now.
type Stepper interface {
	Expand(state uint32) error
	// Rest takes the events from the k-th on, after one that failed.
	Rest(state uint32, k int) error
	// Settle tells the visitor of what it was not told yet.
	Settle() error
}

// InWorld is the stepper that takes every step in the world.
type InWorld struct {
	*Taker
	prior *world.World // goes along to the state before, for step properties; nil: there are none
}

// Expand takes every step of a state.
func (s InWorld) Expand(state uint32) error { return s.Rest(state, 0) }

// Rest takes the events from the k-th on.
func (s InWorld) Rest(state uint32, k int) error {
	s.load(state)
	return s.takeFrom(state, k)
}

func (s InWorld) load(state uint32) {
	s.Current, s.LastEvent = state, noEvent
	s.Get(state, s.From)
	if s.prior != nil {
		s.prior.State.Load(s.Bank, s.From)
	}
	s.World.State.Load(s.Bank, s.From)
}

// Settle has nothing to tell: the visitor has been told of each step.
func (s InWorld) Settle() error { return nil }

// noEvent is before the first step from a state: only hooks of the system have
// been asked.
const noEvent = -1

// newTaker has a world of its own, and writes into a ledger.
func (r *Owner) newTaker(c run.Climate, l *Ledger) (*Taker, error) {
	w, err := r.NewWorld(world.Config{Coverage: r.Coverage})
	if err != nil {
		return nil, err
	}
	w.State.Track()
	t := &Taker{Owner: r, World: w, Climate: c, Bank: w.State.NewBank(), Lists: &CoinLists{}, Entry: l.Entry()}
	t.Step.Pulse, t.Step.of, t.Step.Halt = &r.Pulse, t, r.Halt
	t.From, t.To = make(world.Vector, t.Bank.Places()), make(world.Vector, t.Bank.Places())
	return t, nil
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
	}
	return nil
}

// skips reports whether the k-th event of the world is one that is not taken now.
func (t *Taker) skips(k int) bool {
	return t.Healed && t.World.Events.Rare(k) || t.Patient && t.World.Events.Hasty(k)
}

// takeEvent takes the k-th event of the state that is loaded, for all answers
// to its coins, and comes back.
func (t *Taker) takeEvent(state uint32, k int) error {
	t.Step.coins.Reset()
	return t.takeOn(state, k)
}

// takeOn is takeEvent for the answers that come next, and those after them.
func (t *Taker) takeOn(state uint32, k int) error {
	t.Step.event = k
	for {
		t.LastEvent = k
		err := t.Step.take(t.World)
		if err == nil {
			*t.Owner.Counts.Steps++
			err = t.Visitor.Arrived(state, k)
		}
		if err != nil {
			t.lastCoins = t.Step.coins.Answers()
			return err
		}
		t.World.State.Back(t.Bank, t.From)
		if !t.moreCoins() {
			return nil
		}
	}
}

// listsMost is how many lists of answers to the coins of one step are taken.
const listsMost = 1 << 16

// moreCoins goes on to the next list of answers to the coins of a step.
func (t *Taker) moreCoins() bool {
	more := t.Step.coins.Next()
	t.Step.lists++
	if more && t.Step.lists >= listsMost {
		more, t.Sampled = false, true
	}
	if !more {
		t.Step.lists = 0
	}
	t.Sampled = t.Sampled || t.Step.coins.Sampled()
	return more
}

// Bring loads the state that was added last.
func (t *Taker) Bring() {
	t.Get(t.Next-1, t.To)
	t.World.State.Load(t.Bank, t.To)
}

// Sum is the identity of a state.
func (t *Taker) Sum(v world.Vector) (h canon.Hash) {
	for p, id := range v {
		if id != 0 {
			h = h.Add(t.Bank.Sum(p, id))
		}
	}
	return h
}

// Stuck are the answers of the run whose last step has not returned, and how
// many they are.
func (t *Taker) Stuck() (choose.Source, int) {
	run := t.Found()
	return run, run.Answers()
}

// Within is the world in which the steps are taken.
func (t *Taker) Within() (w *world.World, healed bool) { return t.World, t.Healed }

// Found are the answers of the run that the last step was of.
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

// Path is the answers that lead to a state.
func (t *Taker) Path(state uint32) (answers run.Answers) {
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

// led is answers that begin where the exploration does.
func (t *Taker) led(run run.Answers) *run.Answers {
	if t.Begin != nil {
		run.Prefix, run.PrefixSteps = t.Begin.Prefix, t.Begin.Steps
	}
	return &run
}

// answerer answers one step: the event it is told, and all answers to the coins
// of its handler, one list after the other.
type answerer struct {
	event int
	coins choose.Odometer
	Pulse *run.Pulse
	of    *Taker // whose run is kept; nil: the step is of no run, or of one that is known
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

// take lets the world take the step.
func (s *answerer) take(w *world.World) error {
	if s.taken++; s.taken%256 == 0 && s.Halt() {
		return ErrHalt
	}
	s.Begun = true
	s.Pulse.Tick()
	if s.of != nil {
		s.of.mark(s.event, nil)
	}
	if w.Step(s) != world.Stepped {
		return fmt.Errorf("macemc bug: search: a step that was possible could not be taken: %w", w.Run.Err())
	}
	s.Pulse.Pass()
	s.Begun = false
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

// Number is the number of a list; false: there are too many of them, and this
// one is left out.
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
	lists = append(lists, append([]int{}, answers...)) // whoever has the shorter list sees nothing of it
	c.of[string(c.key)] = n
	c.lists.Store(&lists)
	return n, true
}

// Get is the list with a number.
func (c *CoinLists) Get(n uint16) []int {
	if n == 0 {
		return nil
	}
	return (*c.lists.Load())[n]
}
