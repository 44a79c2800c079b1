package kcp

import (
	"fmt"
	"strings"
	"time"

	"macemc/examples/kcp/core"
	"macemc/sim"
)

// These are the signals.
type (
	write  struct{ message int }
	update struct{} // a timer: KCP wants to be called often
	read   struct{} // a task: the application reads a message, at any later time
	again  struct{ message int }
)

// got is the fact that this end has read a message of the other one.
type got struct {
	writer  sim.Addr
	parts   int
	message string
}

const (
	interval  = core.Interval * time.Millisecond
	patience  = time.Second
	firstConv = 1
)

// end drives one end of a connection.
type end struct {
	self, peer sim.Addr
	settings

	conn    *core.Conn
	conv    uint32
	reading bool     // the task read is posted
	read    int      // the number of messages that the application has read
	inbox   []string // with KC2: messages that were read from the connection, and not by the application yet
}

// settings are the parameters, in the form in which an end needs them.
type settings struct {
	pattern          string
	messages, parts  int
	send, receive    int
	resend           int
	congestion, time bool
	first            uint32
}

func newEnd(p sim.Params, self sim.Addr) *end {
	e := &end{
		self: self, peer: p.Addr(1 - self.Index()),
		settings: settings{
			pattern:  p.Word(Pattern),
			messages: p.Int(Messages), parts: p.Int(Parts),
			send: p.Int(Send), receive: p.Int(Receive),
			resend: p.Int(Resend), congestion: p.Word(Congestion) == "on", time: p.Word(RoundTrips) == "timed",
			first: -uint32(p.Int(Wrap)),
		},
	}
	e.open(firstConv)
	return e
}

// open begins the connection with the number conv, which both ends know.
func (e *end) open(conv uint32) {
	e.conv = conv
	e.conn = core.New(core.Options{
		Conv: conv, First: e.first, Send: e.send, Receive: e.receive,
		Resend: e.resend, Congestion: e.congestion, Timed: e.time,
	})
}

// Init starts the clock of the connection.
func (e *end) Init(env sim.Env) { env.After(interval, update{}) }

// Opens reports whether the application may make a request now. A request to write on the second
// connection has to wait until all segments of the first one are acknowledged.
func (e *end) Opens(opening sim.Signal) bool {
	w, ok := opening.(write)
	return !ok || e.of(w.message) == e.conv || e.conn.Unsent() == 0
}

// of returns the number of the connection on which a message is written.
func (e *end) of(message int) uint32 { return firstConv + uint32((message-1)/e.messages) }

// Deliver passes a packet to the connection. If the packet belongs to a connection with a later number,
// it opens that connection first.
func (e *end) Deliver(env sim.Env, _ sim.Addr, m sim.Message) {
	p, ok := m.(core.Packet)
	if !ok {
		panic(fmt.Sprintf("kcp: no case for the message %T", m))
	}
	if conv := p.Conv(); conv > e.conv || conv != e.conv && env.Bug(KC8) {
		for e.conn.Peek() >= 0 { // what came over the last one was acknowledged
			e.take(env)
		}
		e.open(conv)
	}
	e.conn.Input(p, e.out(env))
	if env.Bug(KC3) && e.conn.Unsent() > e.conn.UnderWay() {
		e.send++
		e.conn.Window(e.send)
	}
	e.look(env)
	e.wake(env)
}

// Handle handles a timer, a request or a task.
func (e *end) Handle(env sim.Env, signal sim.Signal) {
	switch signal := signal.(type) {
	case write:
		if conv := e.of(signal.message); conv != e.conv {
			e.open(conv)
		}
		e.write(signal.message)
		if env.Bug(KC1) {
			env.After(patience, again(signal))
		}
		e.wake(env)
	case again:
		if e.conn.Unsent() > 0 {
			e.write(signal.message)
		}
	case update:
		e.conn.Pass(e.conn.Next())
		e.conn.Update(e.out(env))
		e.tick(env)
	case read:
		e.reading = false
		if e.readable() { // what it was woken for may have been read for the next connection
			e.take(env)
		}
		if !env.Bug(KC5) {
			e.look(env)
		}
	default:
		panic(fmt.Sprintf("kcp: no case for the signal %T", signal))
	}
}

// wake sets the timer for the next update, unless it is set. With the bug KC4 it does nothing.
func (e *end) wake(env sim.Env) {
	if !env.Bug(KC4) {
		e.tick(env)
	}
}

// tick sets the timer for the next update, unless it is set already.
func (e *end) tick(env sim.Env) {
	switch {
	case env.Scheduled(update{}):
	case env.Bug(KC4) && e.conn.Unsent() == 0: // there is nothing to send
	case env.Bug(KC7) && e.conn.UnderWay() == 0 && e.conn.Acks() == 0 && e.conn.Closed(): // there is no room to send
	default:
		env.After(interval, update{})
	}
}

// write passes a message to the connection.
func (e *end) write(message int) {
	if n := e.conn.Send(text(e.self, message, e.parts)); n < 0 {
		panic(fmt.Sprintf("kcp: a message of %d parts is not taken: %d", e.parts, n))
	}
}

// text returns the text of message number message of a writer, which takes this number of
// segments.
func text(writer sim.Addr, message, parts int) string {
	var b strings.Builder
	for part := range parts {
		t := fmt.Sprintf("%s %d.%d", writer, message, part+1)
		b.WriteString(t + strings.Repeat(".", core.Segment-len(t)))
	}
	return b.String()
}

func (e *end) out(env sim.Env) func(core.Packet) {
	return func(p core.Packet) { env.UDP().Send(e.peer, p) }
}

// look posts the task in which the application reads, if there is a message to read.
func (e *end) look(env sim.Env) {
	if env.Bug(KC2) {
		for e.conn.Peek() >= 0 {
			b := make([]byte, e.conn.Peek())
			e.inbox = append(e.inbox, string(b[:e.conn.Recv(b)]))
		}
	}
	if !e.reading && e.readable() {
		e.reading = true
		env.Post(read{})
	}
}

// readable reports whether there is a message to read.
func (e *end) readable() bool { return e.conn.Peek() >= 0 || len(e.inbox) > 0 }

// take reads one message from the connection.
func (e *end) take(env sim.Env) {
	if len(e.inbox) > 0 {
		e.read++
		env.Emit(got{e.peer, e.parts, e.inbox[0]})
		e.inbox = e.inbox[1:]
		return
	}
	room := e.parts
	if env.Bug(KC6) {
		room = 1
	}
	b := make([]byte, room*core.Segment)
	b = b[:e.conn.Recv(b)]
	e.read++
	env.Emit(got{e.peer, e.parts, string(b)})
}
