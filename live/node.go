package live

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"macemc/internal/guard"
	"macemc/internal/record"
	"macemc/sim"
	"macemc/trace"
)

// Node is one node in one life: its handlers, and the parts that receive and send for it. All of them belong
// to the goroutine that has the turn, which is the one that runs the node at present. Only the inbox is open
// to any goroutine.
type Node struct {
	*place
	m        *machine
	reality  *reality
	clock    clock
	store    keeper
	requests requests
	recorder recorder
	links    links

	number  int  // the number of the life
	kept    bool // the previous life has left a node for System.Crash
	script  []sim.Signal
	member  membership
	turns   sync.Mutex // held by the goroutine that has the turn
	timer   *time.Timer
	wakes   time.Time // when the timer fires
	class   int       // the class of events that next looks at first
	event   event     // found by next
	closing bool
	ended   bool
	kill    bool
	err     error // the reason for the end, valid once stopped is closed; nil if the node was asked to end
	steps   atomic.Uint64
	status  status
}

// close ends the life of the node after its current step. If kill is set, it ends as if the process had
// ended. Otherwise the messages that were sent are written first.
func (n *Node) close(kill bool) {
	n.kill = n.kill || kill
	n.closing, n.links.closing = true, true
}

// loop runs the node until its end. Goroutines that bring messages run it too: see works.
func (n *Node) loop() {
	defer n.host.goes.Done()
	first := event{}
	if n.number > 0 {
		first.Kind = sim.KindRestart
	}
	now := time.Now()
	n.turns.Lock()
	n.ended = !n.member.late && !n.take(&first, &now)
	n.host.goes.Add(2)
	go n.links.door.listens()
	go n.links.datagrams.hears()
	for n.runs(now); !n.ended; n.runs(time.Now()) {
		n.turns.Unlock()
		n.waits()
		n.turns.Lock()
	}
	if n.err == nil && !n.kill {
		_ = n.recorder.note(&record.Entry{Kind: record.EntryEnd})
		if n.host.leaves() { // nobody hears of an end that is everybody's
			<-n.host.released
		}
	}
	n.finish()
}

// waits waits until the node may have something to do. It looks into the inbox first: while the loop had the
// turn, goroutines that brought messages did not wake it.
func (n *Node) waits() {
	if n.inbox.holds() {
		return
	}
	select {
	case <-n.inbox.rousing:
	case <-n.timer.C:
	case <-n.host.leaving:
	case <-n.alive.Done():
	}
}

// stepsMost is the largest number of steps that a goroutine takes in one turn.
const stepsMost = 64

// works runs the node until it has nothing to do, unless another goroutine runs it. So the goroutine that
// reads a message also runs its handler and writes the answer, and no other goroutine has to wake. now is
// the time at which the message came.
func (n *Node) works(now time.Time) {
	for n.inbox.holds() && n.turns.TryLock() {
		n.runs(now)
		n.turns.Unlock()
	}
}

// runs takes steps until there is nothing to do, or until it has taken stepsMost, and then writes the
// messages of all these steps together. The caller must have the turn.
func (n *Node) runs(now time.Time) {
	if n.ended {
		return
	}
	for range stepsMost {
		n.absorb()
		if n.ended = n.closing || n.host.leaves() || n.alive.Err() != nil; n.ended {
			break
		}
		if n.clock.rings(now) {
			n.links.flows()
		}
		if !n.next(now) {
			n.tell()
			n.alarm(now)
			n.links.writes()
			return
		}
		if n.ended = !n.take(&n.event, &now); n.ended {
			break
		}
	}
	n.links.writes()
	n.inbox.rouse() // the loop takes the next steps
}

// alarm sets the timer that wakes the loop for the next event of the clock.
func (n *Node) alarm(now time.Time) {
	at := now.Add(n.clock.idle(now, n.m.Timers))
	if at.Before(n.wakes) || !n.wakes.After(now) {
		n.wakes = at
		n.timer.Reset(at.Sub(now))
	}
}

// finish closes the parts of the node when its life ends.
func (n *Node) finish() {
	n.cease()
	n.links.door.close()
	n.links.datagrams.close()
	n.links.close(!n.kill)
	n.inbox.close()
	n.requests.close()
	n.timer.Stop()
	n.err = first(n.err, n.store.close(n.kill))
	n.err = first(n.err, n.recorder.close())
	n.tell()
	n.host.keep(n) // before stopped is closed: Restart, which waits for that, takes the node and its disk from there
	close(n.stopped)
	n.host.ended(n)
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// absorb handles the arrivals in the inbox.
func (n *Node) absorb() {
	all := n.inbox.take()
	for i := range all {
		switch a := &all[i]; a.kind {
		case arriveRequest:
			n.requests.waiting = append(n.requests.waiting, a.ask)
		case arriveCall:
			a.call()
		default:
			n.links.arrived(a)
		}
	}
	n.links.acknowledges()
	n.inbox.done(all)
}

const (
	classes     = 7
	classScript = 4
)

// next looks for the next event of the node and sets n.event. It reports whether there is one. Errors of
// connections come first, then the classes of events in turn: messages, tasks, timers, requests and so on.
func (n *Node) next(now time.Time) bool {
	if n.member.late { // until it has joined, only its script runs
		return n.nextOf(classScript, now)
	}
	if n.links.broken() {
		return n.heeds()
	}
	for k := range classes {
		class := (n.class + k) % classes
		if n.nextOf(class, now) {
			n.class = class + 1
			return true
		}
	}
	return false
}

// heeds makes n.links.found the next event, and returns true.
func (n *Node) heeds() bool {
	n.event = n.links.found
	return true
}

func (n *Node) nextOf(class int, now time.Time) bool {
	switch class {
	case 0:
		return n.links.message(int(n.steps.Load())) && n.heeds()
	case 1:
		if task, ok := n.m.Task(n.reality.rand.IntN); ok {
			n.event = event{Event: record.Event{Kind: sim.KindTask, Value: task}}
			return true
		}
	case 2:
		if s, at, ok := n.clock.due(now, n.m.Timers); ok {
			n.event = event{record.Event{Kind: sim.KindTimer, Value: s}, at}
			return true
		}
	case 3:
		if len(n.requests.waiting) > 0 && n.m.guards().Opens(n.requests.waiting[0].signal) {
			n.event = event{record.Event{Kind: sim.KindScript, Value: n.requests.waiting[0].signal, Asked: true}, n.requests.waiting[0].at}
			return true
		}
	case classScript:
		if len(n.script) > 0 && (n.member.late || n.m.guards().Opens(n.script[0])) {
			if until, waits := n.member.waits(n.script[0], now, n.reality.rand, time.Duration(float64(n.config.Stay)*n.clock.pace)); waits {
				n.clock.alarm(until)
				return false
			}
			n.event = event{Event: record.Event{Kind: sim.KindScript, Value: n.script[0]}}
			n.script = n.script[1:]
			return true
		}
	case 5:
		return n.links.roomy() && n.heeds()
	case 6:
		if !n.m.guards().Acts() || now.Before(n.clock.action) {
			return false
		}
		if all := append(n.m.offers(), n.m.gathers(n.links.inSet)...); len(all) > 0 {
			n.clock.action = now.Add(n.clock.pause)
			n.event = event{Event: record.Event{Kind: sim.KindAction, Value: all[n.reality.rand.IntN(len(all))]}}
			return true
		}
	}
	return false
}

// take takes one step: it runs the handler, stores its writes, records the step, and then makes
// its effects visible to others. It sets now to the end of the handler. If take returns false,
// the node's life is over.
func (n *Node) take(e *event, now *time.Time) bool {
	var ask *asking
	if e.Asked {
		ask = n.requests.next()
	}
	if f := n.m.run(&e.Event); f != nil {
		n.fails(f, ask, &e.Event)
		return false
	}
	before, began := n.m.sends, *now
	*now = time.Now()
	n.host.metrics.stepped(e.Kind, e.came, began, *now)
	n.m.settle(*now, n.clock.pace)
	n.steps.Add(1)
	if n.err = n.recorder.stepped(&e.Event, n.links.peers); n.err != nil {
		return false
	}
	if err := n.store.stepped(func() []byte { return n.recorder.last(n.steps.Load()) }); err != nil {
		n.fails(&failure{text: fmt.Sprintf("a write to the storage of %s failed: %v", n.m.self, err)}, ask, nil)
		return false
	}
	if n.err = n.recorder.write(); n.err != nil {
		return false
	}
	if n.member.stepped(&e.Event); n.member.left { // its life ends as if it was killed, without another event
		n.close(true)
		return false
	}
	n.links.absent = n.member.late
	if e.Kind == sim.KindMessage {
		n.links.delivered(&e.Event)
	}
	n.links.apply(before)
	n.emit()
	n.store.tidies()
	if ask != nil {
		ask.done <- nil
	}
	n.err = n.links.stuck
	return n.err == nil
}

// emit passes the facts that the step has emitted to Config.Facts, and to the requests that wait for them.
func (n *Node) emit() {
	effects := n.m.step.Effects()
	for i := range effects {
		if e := &effects[i]; e.Kind == trace.EffectEmit {
			if n.config.Facts != nil {
				n.config.Facts(n.m.self, e.Value)
			}
			n.requests.emitted(e.Value)
		}
	}
}

// fails ends the life of a node whose handler failed with f at event e. ask is the request that the handler
// ran for, or nil.
func (n *Node) fails(f *failure, ask *asking, e *record.Event) {
	text := guard.Bounded(f.text)
	n.err = &Failed{n.m.self, text, f.stack}
	n.recorder.failed(text, e)
	n.config.Log.Error("a handler failed", "node", n.name(n.at), "why", text)
	n.kill = true
	if ask != nil {
		ask.done <- n.err
	}
}

// Failed is the error of a node whose handler failed. A search would report a panic.
type Failed struct {
	Node  sim.Addr
	Text  string
	Stack string // the part of the stack that is the service's
}

func (f *Failed) Error() string { return fmt.Sprintf("%s: %s", f.Node, f.Text) }

// Addr returns the node's address.
func (n *Node) Addr() sim.Addr { return n.m.self }

// Done returns a channel that is closed when the life of the node is over. Err then returns the reason.
func (n *Node) Done() <-chan struct{} { return n.stopped }

// Err returns the reason for the end of the node's life. It is nil if the node was asked to stop, or still
// runs.
func (n *Node) Err() error {
	select {
	case <-n.stopped:
		return n.err
	default:
		return nil
	}
}

// Status is the state of a node as seen from outside.
type Status struct {
	Node   string
	Life   int
	Up     bool
	Steps  uint64
	Peers  int // the number of peers with which there is a connection
	Timers int
	Queued int // the number of messages sent by TCP that are not known to be delivered
}

// status is a Status that other goroutines may read.
type status struct {
	mu    sync.Mutex
	shown Status
}

// Status returns the status of the node at the last time when it had nothing to do, but with its present
// number of steps.
func (n *Node) Status() Status {
	n.status.mu.Lock()
	s := n.status.shown
	n.status.mu.Unlock()
	if s.Node == "" {
		s = Status{Node: n.name(n.at), Life: n.number, Up: true}
	}
	s.Steps = n.steps.Load()
	return s
}

func (n *Node) tell() {
	if n.steps.Load() == 0 {
		return
	}
	s := Status{Node: n.name(n.at), Life: n.number, Up: !n.inbox.over, Timers: len(n.m.Timers)}
	for _, p := range n.links.peers {
		if p.sess != nil {
			s.Peers++
		}
		s.Queued += len(p.out)
	}
	n.status.mu.Lock()
	n.status.shown = s
	n.status.mu.Unlock()
}

// call makes the node's goroutine call f between two steps, unless the node has ended.
func (n *Node) call(f func()) { n.inbox.post(arrival{kind: arriveCall, call: f}) }
