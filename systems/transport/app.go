package transport

import (
	"fmt"

	"macemc/sim"
)

// begin is the application's request: send to everybody.
type begin struct{ life int }

// note is a message: the number-th of its sender in an incarnation, which is an
// attempt to send all messages to a peer: the sender's life, and how many errors
// of the peer it had heard of in that.
type note struct {
	life, errors int
	number       int
	text         string
}

// Divide and Unite make a note Divisible.
func (n note) Divide(most int) (parts []sim.Message) {
	for text := n.text; text != ""; {
		size := min(most, len(text))
		parts = append(parts, note{n.life, n.errors, n.number, text[:size]})
		text = text[size:]
	}
	return parts
}

// Unite puts the texts of parts together.
func (n note) Unite(parts []sim.Message) sim.Message {
	n.text = ""
	for _, p := range parts {
		n.text += p.(note).text
	}
	return n
}

// app sends notes to its peers, and begins again with a peer when it hears of an
// error.
type app struct {
	messages int    // to be sent to each peer; 0 means it only listens
	text     string // of each

	begun  bool
	life   int
	errors map[sim.Addr]int
	sent   map[sim.Addr]int // in this incarnation
	last   sim.Addr         // the receiver of the last message
	waits  sim.Addr         // a peer that has no room
	heard  map[sim.Addr]note
	clears int // that were not asked for
}

func newApp(messages int, text string) *app {
	return &app{messages: messages, text: text, errors: map[sim.Addr]int{}, sent: map[sim.Addr]int{}, heard: map[sim.Addr]note{}}
}

func (a *app) Init(sim.Env) {}

func (a *app) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case begin:
		a.begun, a.life = true, s.life
		a.send(env)
	case sim.ClearToSend:
		if s.Peer != a.waits {
			a.clears++
			return
		}
		a.waits = sim.Addr{}
		a.send(env)
	case sim.PeerError:
		if !a.begun || a.messages == 0 {
			return
		}
		a.errors[s.Peer]++
		a.sent[s.Peer] = 0
		if a.waits == s.Peer {
			a.waits = sim.Addr{}
		}
		a.send(env)
	default:
		panic(fmt.Sprintf("transport: the application has no case for the signal %T", s))
	}
}

func (a *app) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case note:
		a.heard[from] = m
		env.Emit(heard{from, m, m.text == a.text})
	default:
		panic(fmt.Sprintf("transport: the application has no case for the message %T", m))
	}
}

// send sends one note after the other, to each peer in turn, until one has no
// room.
func (a *app) send(env sim.Env) {
	for a.waits.IsZero() {
		to := a.next(env.Peers())
		if to.IsZero() {
			return
		}
		a.last = to
		if !env.TCP().Send(to, note{a.life, a.errors[to], a.sent[to] + 1, a.text}) {
			a.waits = to
			env.TCP().RequestToSend(to)
			return
		}
		a.sent[to]++
	}
}

// next returns the peer after the last to which there is something to send, or nobody if there
// is none.
func (a *app) next(peers []sim.Addr) (to sim.Addr) {
	for _, p := range peers {
		if a.sent[p] == a.messages {
			continue
		}
		if a.last.Less(p) {
			return p
		}
		if to.IsZero() {
			to = p
		}
	}
	return to
}
