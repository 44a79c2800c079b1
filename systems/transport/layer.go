package transport

import (
	"time"

	"macemc/sim"
)

type (
	// syn is the first datagram of a connection, with its identifier.
	syn struct {
		id      int
		seq     int
		payload sim.Message
	}
	// data is a later datagram of a connection.
	data struct {
		seq     int
		payload sim.Message
	}
	// fragment is the payload of a packet that has a part of a message.
	fragment struct {
		part, of int
		payload  sim.Message
	}
	// ack means that everything up to this number has arrived.
	ack struct{ seq int }
	// reset means that the receiver of this number does not know the connection.
	reset struct{ seq int }

	// begun is a payload by which the sender says that it has begun another session.
	begun struct{}

	// retransmit is the timer of a datagram in flight.
	retransmit struct {
		peer sim.Addr
		seq  int
	}
	// clear is the timer after which the upper node gets a ClearToSend.
	clear struct{ peer sim.Addr }
)

// Divisible is a message that a Layer can send in parts, if it is too large for one datagram.
type Divisible interface {
	// Divide divides the message into parts of at most this number of bytes. It returns one part or
	// none if the message is small enough.
	Divide(most int) []sim.Message
	// Unite returns the message that consists of these parts.
	Unite(parts []sim.Message) sim.Message
}

// Options are the sizes and the behavior of a Layer. A size that is 0 has its default.
type Options struct {
	Datagram int // the most bytes of a message in one datagram; 0 means 1200
	Buffer   int // the most messages to one peer that are not acknowledged; 0 means 20
	Window   int // the most datagrams in flight to one peer; 0 means 64
	Span     int // the distance between the first numbers of two connections; 0 means a million

	// Paired makes an error cut both directions at both ends, as an error of a TCP connection does.
	// A node that restarts or gives up a peer reports that at once. Without Paired an error cuts
	// one direction, and peers learn of it when they send something.
	Paired bool
	// Bugs makes the layer ask for its known bugs, which the system must list.
	Bugs bool
}

const (
	firstTimeout = time.Second
	doublings    = 2 // the time-out is doubled at most this often
	patience     = 30 * time.Second
	clearAfter   = time.Millisecond
)

// Layer is a reliable transport below an upper node, which sends by env.TCP().
type Layer struct {
	upper   sim.Node
	options Options

	out    map[sim.Addr]*outgoing
	in     map[sim.Addr]*incoming
	opened int              // the identifier of the connection opened last, or the last one that it has used up
	least  map[sim.Addr]int // by peer: the least identifier of a new connection; it outlives connections
	asked  map[sim.Addr]bool
	flush  bool // the upper node waits for the signal that everything is acknowledged

	sessions map[sim.Addr]session // with Options.Paired

	above sim.Above `mc:"-"` // the Env of the upper node, set again in every step
}

// Over puts a Layer below a node.
func Over(upper sim.Node, o Options) *Layer {
	if o.Datagram == 0 {
		o.Datagram = 1200
	}
	if o.Buffer == 0 {
		o.Buffer = 20
	}
	if o.Window == 0 {
		o.Window = 64
	}
	if o.Span == 0 {
		o.Span = 1_000_000
	}
	return &Layer{
		upper: upper, options: o,
		out: map[sim.Addr]*outgoing{}, in: map[sim.Addr]*incoming{},
		least: map[sim.Addr]int{}, asked: map[sim.Addr]bool{}, sessions: map[sim.Addr]session{},
	}
}

// Upper returns the node above.
func (l *Layer) Upper() sim.Node { return l.upper }

// enter records the Env of this step, and returns the Env for the upper node.
func (l *Layer) enter(env sim.Env) sim.Env {
	l.above = sim.Above{Env: env, Port: l}
	return &l.above
}

// Init starts the node above.
func (l *Layer) Init(env sim.Env) {
	env.Emit(started{})
	above := l.enter(env)
	if l.recall(env) && l.options.Paired {
		for _, peer := range env.Peers() {
			l.begin(env, peer)
		}
	}
	l.upper.Init(above)
}

// Deliver takes datagrams of connections, and hands up everything else.
func (l *Layer) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	above := l.enter(env)
	if p, is := m.(paired); is {
		if !l.within(env, from, p) {
			return
		}
		m = p.datagram
	}
	switch m := m.(type) {
	case syn:
		l.arrived(env, from, packet{m.seq, m.id, m.payload})
	case data:
		l.arrived(env, from, packet{m.seq, 0, m.payload})
	case ack:
		l.acknowledged(env, from, m.seq)
	case reset:
		l.refused(env, from, m.seq)
	default:
		l.upper.Deliver(above, from, m)
	}
}

// Handle takes the layer's timers, and hands up everything else.
func (l *Layer) Handle(env sim.Env, s sim.Signal) {
	above := l.enter(env)
	switch s := s.(type) {
	case retransmit:
		l.timeout(env, s.peer, s.seq)
	case clear:
		delete(l.asked, s.peer)
		l.upper.Handle(above, sim.ClearToSend{Peer: s.peer})
	default:
		l.upper.Handle(above, s)
	}
}

// Send sends a message of the upper node. It refuses if the buffer to that peer is full.
func (l *Layer) Send(to sim.Addr, m sim.Message) bool {
	env := l.above.Env
	o := l.out[to]
	if o == nil {
		o = l.open(env, to)
	}
	if o.messages() == l.options.Buffer {
		return false
	}
	parts := []sim.Message{m}
	if d, is := m.(Divisible); is {
		if divided := d.Divide(l.options.Datagram); len(divided) > 1 {
			parts = divided
		}
	}
	l.take(env, o, parts)
	l.pump(env, to, o)
	return true
}

// RequestToSend asks for a ClearToSend signal, which arrives when the buffer to that peer has room.
func (l *Layer) RequestToSend(to sim.Addr) {
	l.asked[to] = true
	l.tellClear(l.above.Env, to)
}

// tellClear makes a ClearToSend arrive at the upper node, if it asked for that and there is room.
func (l *Layer) tellClear(env sim.Env, to sim.Addr) {
	if o := l.out[to]; l.asked[to] && (o == nil || o.messages() < l.options.Buffer) {
		env.After(clearAfter, clear{to})
	}
}

// NotifyFlushed asks for a Flushed signal, which arrives when everything sent is acknowledged.
func (l *Layer) NotifyFlushed() {
	l.flush = true
	l.tellFlushed(l.above.Env)
}

func (l *Layer) tellFlushed(env sim.Env) {
	if !l.flush {
		return
	}
	for _, o := range l.out { // in no order: all are asked
		if !o.idle() {
			return
		}
	}
	l.flush = false
	env.Post(sim.Flushed{})
}

// Reset closes the connections to and from a peer. Without Options.Paired the peer learns of it
// when it sends something, or when the next connection to it is opened.
func (l *Layer) Reset(to sim.Addr) {
	env := l.above.Env
	l.giveUp(env, to)
	l.forgetRequest(env, to)
	env.Post(sim.PeerError{Peer: to, Cause: sim.CauseReset})
}

// fail reports to the upper node that a connection has broken. A handler calls it last, since
// the upper node may send messages in return.
func (l *Layer) fail(env sim.Env, peer sim.Addr) {
	l.forgetRequest(env, peer)
	l.upper.Handle(&l.above, sim.PeerError{Peer: peer, Cause: sim.CauseReset})
}

func (l *Layer) bug(env sim.Env, id sim.BugID) bool { return l.options.Bugs && env.Bug(id) }

// forgetRequest ends the wait of the upper node for room in the buffer to a peer, since it
// gets an error instead.
func (l *Layer) forgetRequest(env sim.Env, peer sim.Addr) {
	delete(l.asked, peer)
	if !l.bug(env, MT10) {
		env.Cancel(clear{peer})
	}
}
