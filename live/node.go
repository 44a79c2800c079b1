package live

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"macemc/internal/guard"
	"macemc/sim"
)

// Node is one node in one life: the loop on which its handlers run, and the parts that have
// what comes from outside and take what goes there. All of them belong to that goroutine,
// but for what is posted to the inbox.
type Node struct {
	*place
	m        *machine
	reality  *reality
	clock    clock
	store    keeper
	requests requests
	recorder recorder
	links    links

	number  int  // of the life
	kept    bool // what the last life left was there
	script  []sim.Signal
	member  membership
	turn    int
	closing bool
	kill    bool
	err     error // why the life is over, once stopped is closed, or nil if it was asked to end
	steps   atomic.Uint64
	status  atomic.Pointer[Status]
	shown   Status // the same, without the steps
}

// close ends the life when the step is done: in good order, or as the end of the process
// would.
func (n *Node) close(kill bool) {
	n.kill = n.kill || kill
	n.closing, n.links.closing = true, true
}

// loop runs the node until its end.
func (n *Node) loop() {
	defer n.host.goes.Done()
	first := Event{}
	if n.number > 0 {
		first.Kind = sim.KindRestart
	}
	ok := n.member.late || n.take(&first, time.Now())
	n.host.goes.Add(2)
	go n.links.door.listens()
	go n.links.datagrams.hears()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ok && !n.closing {
		n.absorb()
		if n.closing || n.host.leaves() {
			break
		}
		now := time.Now()
		if n.clock.rings(now) {
			n.links.flows()
		}
		e, is := n.next(now)
		if is {
			ok = n.take(&e, now)
			continue
		}
		n.tell()
		timer.Reset(n.clock.idle(now, n.m.timers))
		select {
		case <-n.inbox.rousing:
		case <-timer.C:
		case <-n.alive.Done():
			n.close(false)
		case <-n.host.leaving:
		}
	}
	if n.err == nil && !n.kill {
		_ = n.recorder.note(&Entry{Kind: EntryEnd})
		if n.host.leaves() { // nobody hears of an end that is everybody's
			<-n.host.released
		}
	}
	n.finish()
}

// finish ends a life: in good order, as it failed, or as it was killed.
func (n *Node) finish() {
	n.cease()
	n.links.door.close()
	n.links.datagrams.close()
	n.links.close(!n.kill)
	n.inbox.close()
	n.requests.close()
	n.err = first(n.err, n.store.close(n.kill))
	n.err = first(n.err, n.recorder.close())
	n.tell()
	close(n.stopped)
	n.host.ended(n)
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// absorb takes what was posted.
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

// next returns the event that comes next: errors first, then each sort in turn.
func (n *Node) next(now time.Time) (Event, bool) {
	if n.member.late { // nobody is there but its script
		return n.nextOf(classScript, now)
	}
	if e, ok := n.links.broken(); ok {
		return e, true
	}
	for k := range classes {
		class := (n.turn + k) % classes
		if e, ok := n.nextOf(class, now); ok {
			n.turn = class + 1
			return e, true
		}
	}
	return Event{}, false
}

func (n *Node) nextOf(class int, now time.Time) (e Event, ok bool) {
	switch class {
	case 0:
		return n.links.message(int(n.steps.Load()))
	case 1:
		if len(n.m.tasks) > 0 {
			k := n.reality.rand.IntN(len(n.m.tasks)) // they are unordered
			e = Event{Kind: sim.KindTask, Value: n.m.tasks[k]}
			n.m.tasks = slices.Delete(n.m.tasks, k, k+1)
			return e, true
		}
	case 2:
		s, at, ok := n.clock.due(now, n.m.timers)
		return Event{Kind: sim.KindTimer, Value: s, came: at}, ok
	case 3:
		if len(n.requests.waiting) > 0 && n.m.guards().Opens(n.requests.waiting[0].signal) {
			return Event{Kind: sim.KindScript, Value: n.requests.waiting[0].signal, Asked: true, came: n.requests.waiting[0].at}, true
		}
	case classScript:
		if len(n.script) > 0 && (n.member.late || n.m.guards().Opens(n.script[0])) {
			if until, waits := n.member.waits(n.script[0], now, n.reality.rand, time.Duration(float64(n.config.Stay)*n.clock.pace)); waits {
				n.clock.alarm(until)
				return e, false
			}
			e = Event{Kind: sim.KindScript, Value: n.script[0]}
			n.script = n.script[1:]
			return e, true
		}
	case 5:
		return n.links.roomy()
	case 6:
		if !n.m.guards().Acts() || now.Before(n.clock.action) {
			return e, false
		}
		if all := append(n.m.offers(), n.m.gathers(n.links.inSet)...); len(all) > 0 {
			n.clock.action = now.Add(n.clock.pause)
			return Event{Kind: sim.KindAction, Value: all[n.reality.rand.IntN(len(all))]}, true
		}
	}
	return e, false
}

// take takes one step: the handler, what it stored, the record, and then what others see of
// it. If take returns false, the node's life is over.
func (n *Node) take(e *Event, began time.Time) bool {
	var ask *asking
	if e.Asked {
		ask = n.requests.next()
	}
	if f := n.m.run(e); f != nil {
		n.fails(f, ask, e)
		return false
	}
	before, now := n.m.sends, time.Now()
	n.host.metrics.stepped(e.Kind, e.came, began, now)
	n.m.settle(now, n.clock.pace)
	n.steps.Add(1)
	if n.err = n.recorder.stepped(e, n.links.peers); n.err != nil {
		return false
	}
	if err := n.store.stepped(func() []byte { return n.recorder.last(n.steps.Load()) }); err != nil {
		n.fails(&failure{text: fmt.Sprintf("a write to the storage of %s failed: %v", n.m.self, err)}, ask, nil)
		return false
	}
	if n.err = n.recorder.write(); n.err != nil {
		return false
	}
	if n.member.stepped(e); n.member.left { // as if it was killed: it hears nothing of it
		n.close(true)
		return false
	}
	n.links.absent = n.member.late
	if e.Kind == sim.KindMessage {
		n.links.delivered(e)
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

// emit passes on the facts of a step.
func (n *Node) emit() {
	effects := n.m.step.Effects()
	for i := range effects {
		if e := &effects[i]; e.Kind == sim.EffectEmit {
			if n.config.Facts != nil {
				n.config.Facts(n.m.self, e.Value)
			}
			n.requests.emitted(e.Value)
		}
	}
}

// fails ends the life of a node whose handler failed.
func (n *Node) fails(f *failure, ask *asking, e *Event) {
	text := guard.Bounded(f.text)
	n.err = &Failed{n.m.self, text, f.stack}
	n.recorder.failed(text, e)
	n.config.Log.Error("a handler failed", "node", n.name(n.at), "why", text)
	n.kill = true
	if ask != nil {
		ask.done <- n.err
	}
}

// Failed is the error of a node whose handler failed: what a search calls a panic.
type Failed struct {
	Node  sim.Addr
	Text  string
	Stack string // the service's
}

func (f *Failed) Error() string { return fmt.Sprintf("%s: %s", f.Node, f.Text) }

// Addr returns the node's address.
func (n *Node) Addr() sim.Addr { return n.m.self }

// Done returns closed when the node's life is over; Err says why then.
func (n *Node) Done() <-chan struct{} { return n.stopped }

// Err returns why the node's life is over, or nil if it was asked to stop, or runs.
func (n *Node) Err() error {
	select {
	case <-n.stopped:
		return n.err
	default:
		return nil
	}
}

// Status is how a node does.
type Status struct {
	Node   string
	Life   int
	Up     bool
	Steps  uint64
	Peers  int // with which there is a connection
	Timers int
	Queued int // messages that wait for being delivered elsewhere
}

// Status returns how the node did when it last had nothing to do.
func (n *Node) Status() Status {
	if s := n.status.Load(); s != nil {
		out := *s
		out.Steps = n.steps.Load()
		return out
	}
	return Status{Node: n.name(n.at), Life: n.number, Up: true, Steps: n.steps.Load()}
}

func (n *Node) tell() {
	if n.steps.Load() == 0 {
		return
	}
	s := Status{Node: n.name(n.at), Life: n.number, Up: !n.inbox.over, Timers: len(n.m.timers)}
	for _, p := range n.links.peers {
		if p.sess != nil {
			s.Peers++
		}
		s.Queued += len(p.out)
	}
	if n.shown != s {
		n.shown = s
		n.status.Store(new(s))
	}
}

// call makes the loop call f between two steps, unless it has ended.
func (n *Node) call(f func()) { n.inbox.post(arrival{kind: arriveCall, call: f}) }
