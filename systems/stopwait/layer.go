package stopwait

import (
	"time"

	"macemc/sim"
)

// SW1 is the known bug of the layer. A system that uses the layer lists Bugs among its own.
const SW1 sim.BugID = "SW1"

// Bugs are the known bugs of the layer.
var Bugs = []sim.Bug{
	{ID: SW1, Story: "A retransmission is handed up twice. The receiver does not compare the number of what it gets " +
		"with the number that it waits for: a datagram that was sent again because its ack was late counts as a new one."},
}

type (
	data struct {
		seq     int
		payload sim.Message
	}
	ack struct{ seq int } // acknowledges the data with this number

	retransmit struct {
		peer sim.Addr
		seq  int
	}
)

const ackExpected = 200 * time.Millisecond

// Layer is a reliable link below an upper node, which sends by env.TCP().
//
// For each pair of nodes: the sender's seq is the receiver's next, or one less (if the ack is still
// under way), and only seq is ever sent for the first time.
type Layer struct {
	upper sim.Node
	out   map[sim.Addr]*outgoing
	next  map[sim.Addr]int // by peer: the number of the next message
	flush bool             // the upper node has asked for Flushed

	above sim.Above `mc:"-"` // the Env of the upper node, set again in every step
}

// outgoing has the messages to one peer that are not acknowledged.
type outgoing struct {
	seq   int           // the number of the first message of the queue
	queue []sim.Message // the first message is under way
}

// add queues a message, and reports whether it is the only one in the queue.
func (o *outgoing) add(m sim.Message) bool {
	o.queue = append(o.queue, m)
	return len(o.queue) == 1
}

// drop removes the first message of the queue, and reports whether others are left.
func (o *outgoing) drop() bool {
	o.queue = o.queue[1:]
	o.seq++
	if len(o.queue) == 0 {
		o.queue = nil // an empty queue is one state, not one for each history
	}
	return len(o.queue) > 0
}

// Over puts a Layer below a node.
func Over(upper sim.Node) *Layer {
	return &Layer{upper: upper, out: map[sim.Addr]*outgoing{}, next: map[sim.Addr]int{}}
}

// KnownBugs returns the known bugs of the layer.
func (l *Layer) KnownBugs() []sim.Bug { return Bugs }

// Upper returns the node above.
func (l *Layer) Upper() sim.Node { return l.upper }

// enter records the Env of this step, and returns the Env for the upper node.
func (l *Layer) enter(env sim.Env) sim.Env {
	l.above = sim.Above{Env: env, Port: l}
	return &l.above
}

// Init starts the upper node. The layer itself has nothing to start.
func (l *Layer) Init(env sim.Env) { l.upper.Init(l.enter(env)) }

// Deliver takes data and acks, and hands up everything else.
func (l *Layer) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	above := l.enter(env)
	switch m := m.(type) {
	case data:
		if l.isNew(env, from, m.seq) {
			l.upper.Deliver(above, from, m.payload)
		}
	case ack:
		l.acked(env, from, m.seq)
	default:
		l.upper.Deliver(above, from, m)
	}
}

// Handle takes the layer's timer, and hands up everything else.
func (l *Layer) Handle(env sim.Env, s sim.Signal) {
	above := l.enter(env)
	switch s := s.(type) {
	case retransmit: // its ack would have cancelled it
		l.transmit(env, s.peer, l.out[s.peer])
	default:
		l.upper.Handle(above, s)
	}
}

// isNew acknowledges data that has arrived, and reports whether it must be handed up.
func (l *Layer) isNew(env sim.Env, from sim.Addr, seq int) bool {
	if seq > l.next[from] {
		return false // from a conversation that this node does not know
	}
	env.UDP().Send(from, ack{seq})
	if seq < l.next[from] && !env.Bug(SW1) {
		return false // had it: its ack was late
	}
	l.next[from] = seq + 1
	return true
}

// acked removes the acknowledged message from the queue to node from, and sends the next one.
func (l *Layer) acked(env sim.Env, from sim.Addr, seq int) {
	o := l.out[from]
	if o == nil || len(o.queue) == 0 || o.seq != seq {
		return // of a retransmission: acked before
	}
	env.Cancel(retransmit{from, seq})
	if o.drop() {
		l.transmit(env, from, o)
		return
	}
	l.tellFlushed(env)
}

// transmit sends the first message of queue o to a node, for the first time or again.
func (l *Layer) transmit(env sim.Env, to sim.Addr, o *outgoing) {
	env.UDP().Send(to, data{o.seq, o.queue[0]})
	env.After(ackExpected, retransmit{to, o.seq})
}

// Send queues a message of the upper node. It never refuses.
func (l *Layer) Send(to sim.Addr, m sim.Message) bool {
	o := l.out[to]
	if o == nil {
		o = &outgoing{}
		l.out[to] = o
	}
	if o.add(m) {
		l.transmit(l.above.Env, to, o)
	}
	return true
}

// RequestToSend makes a ClearToSend signal arrive at once, since the queue has no limit.
func (l *Layer) RequestToSend(to sim.Addr) { l.above.Env.Post(sim.ClearToSend{Peer: to}) }

// NotifyFlushed makes a Flushed signal arrive when everything that was sent is acknowledged.
func (l *Layer) NotifyFlushed() {
	l.flush = true
	l.tellFlushed(l.above.Env)
}

func (l *Layer) tellFlushed(env sim.Env) {
	if !l.flush {
		return
	}
	for _, o := range l.out { // in no order: all are asked
		if len(o.queue) > 0 {
			return
		}
	}
	l.flush = false
	env.Post(sim.Flushed{})
}

// Reset panics. There is no connection that it could break, and if the numbers began again at one
// end, the other end would take new messages for old ones.
func (l *Layer) Reset(sim.Addr) {
	panic("stopwait: a Layer has no connections to reset")
}
