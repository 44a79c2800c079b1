package simtcp

import (
	"fmt"
	"time"

	"macemc/sim"
)

type (
	// start is the application's request: send everything.
	start struct{}
	// retry is the timer after a refused connection.
	retry struct{ peer sim.Addr }
)

// data is message number seq of a conversation from its sender to the receiver.
type data struct {
	attempt
	seq int
}

// attempt identifies a conversation of a sender with one receiver. Conversations are
// ordered by incarnation, then by errors.
type attempt struct {
	incarnation int // the number of the sender's life
	errors      int // the number of connections to the receiver that have broken in that life
}

func (a attempt) after(b attempt) bool {
	return a.incarnation > b.incarnation || a.incarnation == b.incarnation && a.errors > b.errors
}

const refusedRetry = time.Second

type node struct {
	messages    int
	incarnation int
	out         map[sim.Addr]*outgoing
	in          map[sim.Addr]*incoming
	waits       bool // it waits for the signal that the buffers are empty
}

type outgoing struct {
	errors int
	next   int // the first message that was not sent yet
}

// anew makes the node send its messages from the first one on again, after an error. If the cause
// is that a connection broke, and not that it was refused, a new conversation begins.
func (o *outgoing) anew(cause sim.Cause) {
	if o.next = 0; cause == sim.CauseReset {
		o.errors++
	}
}

type incoming struct {
	attempt
	next int // the message that is expected
}

// take reports whether m is the expected message, or the first one of a later conversation.
func (i *incoming) take(m data) bool {
	if m.after(i.attempt) {
		*i = incoming{attempt: m.attempt}
	}
	if m.attempt != i.attempt || m.seq != i.next {
		return false
	}
	i.next++
	return true
}

func newNode(messages, incarnation int) sim.Node {
	return handlers.Node(&node{
		messages: messages, incarnation: incarnation,
		out: map[sim.Addr]*outgoing{}, in: map[sim.Addr]*incoming{},
	})
}

var handlers = sim.Handle(
	sim.OnInit((*node).open), sim.OnSignal((*node).start), sim.OnSignal((*node).clear), sim.OnSignal((*node).retry),
	sim.OnSignal((*node).again), sim.OnSignal((*node).flushed), sim.OnMessage((*node).data),
)

// open begins a life, in which nothing has arrived from any node. Incarnations begin at 1, so the first
// conversation of a peer is later than the zero attempt.
func (n *node) open(env sim.Env) {
	for _, peer := range env.Peers() {
		n.out[peer], n.in[peer] = &outgoing{}, &incoming{}
	}
}

func (n *node) start(env sim.Env, _ start) {
	for _, peer := range env.Peers() {
		n.pump(env, peer)
	}
}

func (n *node) clear(env sim.Env, s sim.ClearToSend) { n.pump(env, s.Peer) }
func (n *node) retry(env sim.Env, s retry)           { n.pump(env, s.peer) }
func (n *node) flushed(sim.Env, sim.Flushed)         { n.waits = false }

// pump sends messages to a peer until the buffer is full.
func (n *node) pump(env sim.Env, peer sim.Addr) {
	if env.Scheduled(retry{peer}) {
		return // nobody listens there
	}
	o := n.out[peer]
	for ; o.next < n.messages; o.next++ {
		if !env.TCP().Send(peer, data{attempt{n.incarnation, o.errors}, o.next}) {
			env.TCP().RequestToSend(peer)
			break
		}
	}
	if !n.waits {
		n.waits = true
		env.TCP().NotifyFlushed()
	}
}

// again sends the messages to a peer again after an error.
func (n *node) again(env sim.Env, e sim.PeerError) {
	o := n.out[e.Peer]
	o.anew(e.Cause)
	switch e.Cause {
	case sim.CauseReset:
		n.pump(env, e.Peer)
	case sim.CauseRefused:
		env.After(refusedRetry, retry{e.Peer})
	default:
		panic(fmt.Sprintf("simtcp: no case for the cause %s", e.Cause))
	}
}

func (n *node) data(_ sim.Env, from sim.Addr, m data) {
	i := n.in[from]
	if !i.take(m) {
		panic(fmt.Sprintf("simtcp: got message %d of %s, incarnation %d, %d errors; expected message %d of incarnation %d, %d errors",
			m.seq, from, m.incarnation, m.errors, i.next, i.incarnation, i.errors))
	}
}
