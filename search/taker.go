package search

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

// taker takes the steps of states that are kept as vectors of their parts'
// numbers: the world is loaded with one, and the one node that runs is copied.
// It also knows by which run it came to where it is. What is to be made of the
// state that a step leads to, its visitor says.
type taker struct {
	r       *runner
	w       *world.World
	bank    *world.Bank
	c       run.Climate
	lead    *run.Fork // where the first state is; nil: at the start
	*entry            // the states
	lists   *coinLists
	visitor visitor

	v, to     world.Vector // the state whose steps are taken; one that is packed or brought
	step      answerer
	lastEvent int       // the step that was taken last: its event,
	lastCoins []int     // and the answers to its coins
	current   uint32    // the state it was taken from
	retaking  *retaking // a step that is taken again, while it is
	sampled   bool      // a limit on answers was met

	chain chain // what of the run is kept

	healed  bool // the states are healed forms of others: they have no runs of their own, and rare steps are not taken
	patient bool // timers wait while anything is under way to or from their node
}

// A visitor is told where the steps of states lead.
type visitor interface {
	// arrived is told that the world has taken the k-th event of a state.
	arrived(state uint32, k int) error
	// lookUp is told of the steps of a memo's batch, which were not taken in the
	// world, in their order.
	lookUp(m *memo) error
}

// A stepper takes all steps of a state that may be taken now.
type stepper interface {
	expand(state uint32) error
	// rest takes the events from the k-th on, after one that failed.
	rest(state uint32, k int) error
	// settle tells the visitor of what it was not told yet.
	settle() error
}

// inWorld is the stepper that takes every step in the world.
type inWorld struct {
	*taker
	prior *world.World // goes along to the state before, for step properties; nil: there are none
}

func (s inWorld) expand(state uint32) error { return s.rest(state, 0) }

func (s inWorld) rest(state uint32, k int) error {
	s.load(state)
	return s.takeFrom(state, k)
}

func (s inWorld) load(state uint32) {
	s.current, s.lastEvent = state, noEvent
	s.get(state, s.v)
	if s.prior != nil {
		s.prior.Load(s.bank, s.v)
	}
	s.w.Load(s.bank, s.v)
}

func (s inWorld) settle() error { return nil }

// noEvent is before the first step from a state: only hooks of the system have
// been asked.
const noEvent = -1

// newTaker has a world of its own, and writes into a ledger.
func (r *runner) newTaker(c run.Climate, l *ledger) (*taker, error) {
	w, err := r.NewWorld(world.Config{Coverage: r.coverage})
	if err != nil {
		return nil, err
	}
	w.Track()
	t := &taker{r: r, w: w, c: c, bank: w.NewBank(), lists: &coinLists{}, entry: l.entry()}
	t.step.pulse, t.step.of, t.step.halt = &r.Pulse, t, r.halt
	t.v, t.to = make(world.Vector, t.bank.Places()), make(world.Vector, t.bank.Places())
	return t, nil
}

// takeFrom takes the events of the state that is loaded, from the k-th on.
func (t *taker) takeFrom(state uint32, k int) error {
	for n := t.w.Enabled(); k < n; k++ {
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
func (t *taker) skips(k int) bool {
	return t.healed && t.w.Rare(k) || t.patient && t.w.Hasty(k)
}

// takeEvent takes the k-th event of the state that is loaded, for all answers
// to its coins, and comes back.
func (t *taker) takeEvent(state uint32, k int) error {
	t.step.coins.Reset()
	return t.takeOn(state, k)
}

// takeOn is takeEvent for the answers that come next, and those after them.
func (t *taker) takeOn(state uint32, k int) error {
	t.step.event = k
	for {
		t.lastEvent = k
		err := t.step.take(t.w)
		if err == nil {
			t.r.stats.Steps++
			err = t.visitor.arrived(state, k)
		}
		if err != nil {
			t.lastCoins = t.step.coins.Answers()
			return err
		}
		t.w.Back(t.bank, t.v)
		if !t.moreCoins() {
			return nil
		}
	}
}

// listsMost is how many lists of answers to the coins of one step are taken.
const listsMost = 1 << 16

// moreCoins goes on to the next list of answers to the coins of a step.
func (t *taker) moreCoins() bool {
	more := t.step.coins.Next()
	t.step.lists++
	if more && t.step.lists >= listsMost {
		more, t.sampled = false, true
	}
	if !more {
		t.step.lists = 0
	}
	t.sampled = t.sampled || t.step.coins.Sampled()
	return more
}

// bring loads the state that was added last.
func (t *taker) bring() {
	t.get(t.next-1, t.to)
	t.w.Load(t.bank, t.to)
}

// sum is the identity of a state.
func (t *taker) sum(v world.Vector) (h canon.Hash) {
	for p, id := range v {
		if id != 0 {
			h = h.Add(t.bank.Sum(p, id))
		}
	}
	return h
}

// Stuck are the answers of the run whose last step has not returned, and how
// many they are.
func (t *taker) Stuck() (choose.Source, int) {
	run := t.found()
	return run, run.Answers()
}

// Within is the world in which the steps are taken.
func (t *taker) Within() (w *world.World, healed bool) { return t.w, t.healed }

// found are the answers of the run that the last step was of.
func (t *taker) found() *run.Answers {
	coins := t.lastCoins
	if t.step.begun {
		coins = t.step.coins.Answers()
	}
	if t.current == noParent {
		return t.led(run.Answers{Start: coins})
	}
	answers := t.path(t.current)
	if t.lastEvent == noEvent {
		return &answers
	}
	answers.Steps = append(answers.Steps, run.Taken{Event: t.lastEvent, Coins: coins})
	return &answers
}

// path is the answers that lead to a state.
func (t *taker) path(state uint32) (answers run.Answers) {
	for s := state; ; s = t.origin(s).parent {
		o := t.origin(s)
		if o.parent == noParent {
			answers = *t.led(run.Answers{Start: t.lists.get(o.coins), Steps: answers.Steps})
			break
		}
		answers.Steps = append(answers.Steps, run.Taken{Event: int(o.event), Coins: t.lists.get(o.coins)})
	}
	for i, j := 0, len(answers.Steps)-1; i < j; i, j = i+1, j-1 {
		answers.Steps[i], answers.Steps[j] = answers.Steps[j], answers.Steps[i]
	}
	return answers
}

// led is answers that begin where the exploration does.
func (t *taker) led(run run.Answers) *run.Answers {
	if t.lead != nil {
		run.Lead, run.Leads = t.lead.Prefix, t.lead.Steps
	}
	return &run
}

// answerer answers one step: the event it is told, and all answers to the coins
// of its handler, one list after the other.
type answerer struct {
	event int
	coins choose.Odometer
	pulse *run.Pulse
	of    *taker // whose run is kept; nil: the step is of no run, or of one that is known
	begun bool   // the step has not come to its end
	lists int    // lists of answers that the event was given
	taken int
	halt  func() bool // asked now and then, whether to stop
}

func (s *answerer) Answer(q *choose.Question) int {
	if q.Kind == choose.Event {
		return s.event
	}
	k := s.coins.Answer(q)
	s.pulse.Tick()
	if s.of != nil {
		s.pulse.Add(k)
	}
	return k
}

// take lets the world take the step.
func (s *answerer) take(w *world.World) error {
	if s.taken++; s.taken%256 == 0 && s.halt() {
		return errHalt
	}
	s.begun = true
	s.pulse.Tick()
	if s.of != nil {
		s.of.mark(s.event, nil)
	}
	if w.Step(s) != world.Stepped {
		return fmt.Errorf("macemc bug: search: a step that was possible could not be taken: %w", w.Err())
	}
	s.begun = false
	return nil
}

func (s *answerer) Err() error { return s.coins.Err() }

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
