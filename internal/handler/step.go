package handler

import (
	"fmt"
	"reflect"
	"time"

	"macemc/internal/contract"
	"macemc/internal/disk"
	"macemc/internal/kinds"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// callsMost is the largest number of calls of Env in a step. A handler that makes more is taken to be in an
// endless loop.
const callsMost = 100_000

// An Answerer answers the questions of a handler about the world around its node.
type Answerer interface {
	// Choose picks one of n alternatives; Weighted picks one by weight.
	Choose(n int, why string) int
	Weighted(weights []int, why string) int

	// Now reads the clock of the node; Monotone reads its counter.
	Now() macetime.Time
	Monotone() macetime.Monotone
	// Before reports whether a is earlier than b. call is the method of Env that was
	// called. weights has the weights of no and yes, or is nil.
	Before(call string, a, b macetime.Time, weights []int) bool
	// HoldsTime reports whether a value holds a reading of the node's clock.
	HoldsTime(v any) bool

	// Room reports whether a connection can queue one more message.
	Room(Send) bool
	// Handed is called after the handler has passed a value to Env, which is in the last effect of the step,
	// if Config.Strict is set.
	Handed()

	// Timer returns the Timer of a signal. Equal signals have the same Timer.
	Timer(sim.Signal) *sight.Timer
	// Scheduled reports whether a timer was scheduled before the step.
	Scheduled(*sight.Timer) bool
	// Due returns the deadline of a timer that the handler sets now. It is called only if
	// Config.Paced is set.
	Due(d time.Duration) macetime.Time

	// Disk returns the data that the node has stored.
	Disk() Disk
	// Write performs a write. If an append fails, it returns how many bytes were written.
	Write(disk.Write) (n int, err error)
	// Sync syncs a file, or the keys if file is "".
	Sync(file string) error

	// Log is called with each line that the handler logs, if Config.Tracing is set.
	Log(line string)
	// Fail ends the handler. It does not return.
	Fail(text string)
}

// Send is a message that is about to be sent over a connection.
type Send struct {
	To     sim.Addr
	Place  int  // the position among the sends of the step on all links, counted from 0
	Queued int  // how many messages this step has sent to that node, since its reset of the connection if there was one
	Reset  bool // whether this step has reset the connection
}

// Disk reads back what a node has written.
type Disk interface {
	Get(key string) (value string, is bool)
	Keys() []string
	Files() []string
	Read(file string) string
}

// Config has the facts about a node's system that a Step needs.
type Config struct {
	System *sim.System
	Params sim.Params
	Text   func(v any) string // writes a value for error messages
	// Tracing keeps the facts that the handler asked for, and the lines that it logs.
	Tracing bool
	// Paced says that timers fire by the node's own clock, which may run fast or slow.
	Paced bool
	// Strict makes Env.Bug reject an unlisted bug even while no bug is switched on, and
	// makes the step call Answerer.Handed.
	Strict bool
}

// Step has the effects of the current handler, or of the last one, and the answers that it got.
type Step struct {
	running *Env
	timed   bool   // whether the node may hold times
	texts   uint64 // macetime.Texts, when the handler began
	calls   int
	tried   int // the number of sends, including refused ones
	effects []trace.Effect
	facts   []trace.Fact
	timers  []Timer                  // how the effects have changed timers
	vetted  [vettedMost]*sight.Timer // the latest timers that have passed the checks
	vets    uint                     // how many timers were added to vetted
	plains  map[reflect.Type]bool    // whether every value of a type can be a timer
	plainly reflect.Type             // the type for which plains was last found to be true
	queued  []queue                  // by node
	queues  bool                     // whether an element of queued is not zero

	answer Answerer
	Config
}

// Timer says how an effect of a step has changed a timer.
type Timer struct {
	*sight.Timer
	On  bool          // whether the timer is scheduled, and not cancelled
	Due macetime.Time // see Answerer.Due
}

// queue counts what the step has done to the connection with one node: the messages that it sent there, and
// whether it reset the connection.
type queue struct {
	sent  int // the messages since the reset, if there was one
	reset bool
}

// Init makes s an empty Step for the nodes that c describes, with the Answerer a. It must be called before
// any other method.
func (s *Step) Init(c Config, a Answerer) {
	*s = Step{Config: c, answer: a, queued: make([]queue, c.Params.Nodes), plains: map[reflect.Type]bool{}}
}

// Begin begins a step: it removes the effects of the previous one.
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

// Forget removes the effects of the previous step, for a world that is set to a state of another run. No
// handler runs then.
func (s *Step) Forget() { s.running, s.effects = nil, s.effects[:0] }

// Run makes e the only Env that may be used, until End. timed says whether the node may hold times.
func (s *Step) Run(e *Env, timed bool) { s.running, s.timed, s.texts = e, timed, macetime.Texts() }

// WroteTime reports whether the handler may have written a time into a text.
func (s *Step) WroteTime() bool { return s.timed && s.texts != macetime.Texts() }

// End records that no handler runs any more: it has returned or failed.
func (s *Step) End() { s.running = nil }

// Running returns the Env of the handler that runs, or nil if none runs.
func (s *Step) Running() *Env { return s.running }

// Effects returns the effects of the step, in order. The next step overwrites the slice.
func (s *Step) Effects() []trace.Effect { return s.effects }

// Timers returns how the step has changed timers, in order.
func (s *Step) Timers() []Timer { return s.timers }

// Facts returns what the handler asked for and the answers, if Config.Tracing is set.
func (s *Step) Facts() []trace.Fact { return s.facts }

// Note adds a fact to those that Facts returns, if Config.Tracing is set.
func (s *Step) Note(f trace.Fact) {
	if s.Tracing {
		s.facts = append(s.facts, f)
	}
}

// CutShort keeps only the first n effects, and appends the effect last: the node has failed in the middle of
// the step.
func (s *Step) CutShort(n int, last trace.Effect) { s.effects = append(s.effects[:n], last) }

func (s *Step) add(e trace.Effect) { s.effects = append(s.effects, e) }

// slot appends an empty effect and returns a pointer to it. So the effect of a send need not be copied.
func (s *Step) slot() *trace.Effect {
	n := len(s.effects)
	if n == cap(s.effects) {
		s.effects = append(s.effects, trace.Effect{})
		return &s.effects[n]
	}
	s.effects = s.effects[:n+1]
	s.effects[n] = trace.Effect{}
	return &s.effects[n]
}

// Start calls Init of the node n.
func (s *Step) Start(n sim.Node) { n.Init(s.running) }

// handlers says, for each kind of event, which method of a node handles it.
var handlers = func() (all [kinds.Count]kinds.Handler) {
	for _, k := range contract.Kinds() {
		all[k] = contract.RowOf(k).Handler
	}
	return all
}()

// Dispatch calls the handler of the node n for the event e. It does nothing if the event has no handler.
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
		if contract.Row(e).Runs() { // no handler runs for a refused datagram
			n.Handle(s.running, signal(e))
		}
	case kinds.Init:
		n.Init(s.running)
	case kinds.Quorum:
		n.(interface{ Quorum(sim.Env, sim.Quorum) }).Quorum(s.running, e.Value.(sim.Quorum))
	}
}

// signal returns the signal of package sim by which Handle gets an event such as an error or room in a
// buffer.
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
