package handler

import (
	"fmt"
	"time"

	"macemc/internal/disk"
	"macemc/internal/kinds"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
)

// callsMost is how many calls of Env a step may make: a handler that makes more is
// taken to loop for ever.
const callsMost = 100_000

// An Answerer is the world around the node whose handler runs.
type Answerer interface {
	// Choose picks one of n alternatives, and Weighted one of those with these weights.
	Choose(n int, why string) int
	Weighted(weights []int, why string) int

	// Now reads the clock of the node, and Monotone its counter.
	Now() macetime.Time
	Monotone() macetime.Monotone
	// Before reports whether a is earlier than b. call is the method of Env that asks;
	// weights are those of no and yes, or nil.
	Before(call string, a, b macetime.Time, weights []int) bool
	// HoldsTime reports whether a value holds a reading of the node's clock.
	HoldsTime(v any) bool

	// Room reports whether a connection can queue one more message.
	Room(Send) bool
	// Handed is called after a value became the last effect of the step, if Config.Strict
	// is set.
	Handed()

	// Timer returns the one Timer of a signal, which is comparable.
	Timer(sim.Signal) *sight.Timer
	// Scheduled reports whether a timer was scheduled before the step.
	Scheduled(*sight.Timer) bool
	// Due is when a timer is due that the handler sets now, if Config.Paced is set.
	Due(d time.Duration) macetime.Time

	// Disk is what the node reads back.
	Disk() Disk
	// Write carries out a write, and reports how many bytes of an append were written
	// if it fails.
	Write(disk.Write) (n int, err error)
	// Sync syncs a file, or the keys if file is "".
	Sync(file, text string) error

	// Log is called with each line that the handler logs, if Config.Tracing is set.
	Log(line string)
	// Fail ends the handler, which cannot go on. It does not return.
	Fail(text string)
}

// Send is a message that is about to be sent over a connection.
type Send struct {
	To     sim.Addr
	Place  int  // among the sends of the step, on all links, counted from 0
	Queued int  // messages to the same node that this step has sent since it began, or since the reset
	Reset  bool // whether this step has reset the connection
}

// Disk is what a node reads back of what it has written.
type Disk interface {
	Get(key string) (value string, is bool)
	Keys() []string
	Files() []string
	Read(file string) string
}

// Config says what a Step needs to know of its node's system.
type Config struct {
	System *sim.System
	Params sim.Params
	Text   func(v any) string // writes a value for a message
	// Tracing keeps the facts that the handler asked for, and the lines that it logs.
	Tracing bool
	// Paced says that timers keep to the node's clock.
	Paced bool
	// Strict makes Env.Bug reject an unlisted bug even while no bug is switched on, and
	// has the Answerer called with each value that the handler hands over.
	Strict bool
}

// Step is what the handler that runs, or the last one, has asked for.
type Step struct {
	running *Env
	timed   bool // whether the node may hold times
	calls   int
	tried   int // sends, also those that were refused
	effects []sim.Effect
	facts   []sim.Fact
	timers  []Timer        // by effect: those about timers
	vetted  []*sight.Timer // that passed the checks before, the first few
	queued  []queue        // by node
	queues  bool           // whether one of them is not zero

	answer Answerer
	Config
}

// Timer is what an effect does to a timer.
type Timer struct {
	*sight.Timer
	On  bool          // whether it is scheduled, not cancelled
	Due macetime.Time // see Answerer.Due
}

// queue is what the step did to the connection with one node.
type queue struct {
	sent  int // since the reset
	reset bool
}

// Init makes s empty. It must be called before anything else.
func (s *Step) Init(c Config, a Answerer) {
	*s = Step{Config: c, answer: a, queued: make([]queue, c.Params.Nodes)}
}

// Begin forgets the last step.
func (s *Step) Begin() {
	s.calls, s.tried, s.effects, s.timers = 0, 0, s.effects[:0], s.timers[:0]
	if s.queues {
		clear(s.queued)
		s.queues = false
	}
	if s.Tracing {
		s.facts = nil
	}
}

// Forget is Begin for a world that is put where another run was.
func (s *Step) Forget() { s.running, s.effects = nil, s.effects[:0] }

// Run makes e the one Env that may be used. timed says that its node may hold times.
func (s *Step) Run(e *Env, timed bool) { s.running, s.timed = e, timed }

// End says that no handler runs any more.
func (s *Step) End() { s.running = nil }

// Running returns the Env that may be used; nil if no handler runs.
func (s *Step) Running() *Env { return s.running }

// Effects are what the step has asked for, in order. The next step overwrites them.
func (s *Step) Effects() []sim.Effect { return s.effects }

// Timers are what the effects about timers do, in order.
func (s *Step) Timers() []Timer { return s.timers }

// Facts are what the step has asked and was computed, if Config.Tracing is set.
func (s *Step) Facts() []sim.Fact { return s.facts }

// Note adds a fact, if Config.Tracing is set.
func (s *Step) Note(f sim.Fact) {
	if s.Tracing {
		s.facts = append(s.facts, f)
	}
}

// CutShort leaves the first n effects and adds one: the node failed within the step.
func (s *Step) CutShort(n int, last sim.Effect) { s.effects = append(s.effects[:n], last) }

func (s *Step) add(e sim.Effect) { s.effects = append(s.effects, e) }

// slot is an empty effect at the end of the list: a send is not copied into it.
func (s *Step) slot() *sim.Effect {
	n := len(s.effects)
	if n == cap(s.effects) {
		s.effects = append(s.effects, sim.Effect{})
		return &s.effects[n]
	}
	s.effects = s.effects[:n+1]
	s.effects[n] = sim.Effect{}
	return &s.effects[n]
}

// Start calls a node's Init.
func (s *Step) Start(n sim.Node) { n.Init(s.running) }

// handlers are the handlers of the kinds of events: a step asks.
var handlers = func() (all [kinds.Count]kinds.Handler) {
	for _, k := range sim.Kinds() {
		all[k] = k.Row().Handler
	}
	return all
}()

// Dispatch calls the handler of an event, if it has one.
func (s *Step) Dispatch(n sim.Node, e *sim.Event) {
	switch handlers[e.Kind] {
	case kinds.Deliver:
		n.Deliver(s.running, e.From, e.Value)
	case kinds.Handle:
		switch {
		case e.Joins():
			n.Init(s.running)
		case !e.Leaves():
			n.Handle(s.running, e.Value)
		}
	case kinds.Signal:
		if e.Row().Runs() { // nobody hears of a datagram
			n.Handle(s.running, signal(e))
		}
	case kinds.Init:
		n.Init(s.running)
	}
}

// signal is the signal of sim's by which a node hears of an event.
func signal(e *sim.Event) sim.Signal {
	switch e.Kind {
	case sim.KindError:
		return sim.PeerError{Peer: e.From, Cause: sim.CauseReset}
	case sim.KindRefused:
		return sim.PeerError{Peer: e.From, Cause: sim.CauseRefused}
	case sim.KindClear:
		return sim.ClearToSend{Peer: e.From}
	case sim.KindFlushed:
		return sim.Flushed{}
	}
	panic(fmt.Sprintf("macemc bug: handler: a %s event has no signal", e.Kind))
}
