package transport

import (
	"fmt"

	"macemc/sim"
)

// begin is the application's request to send to all peers.
type begin struct{ life int }

// note is a message with its number in an incarnation of the sender. An incarnation is an attempt
// to send all messages to one peer. It is identified by the life of the sender, and by the number
// of errors of the connection to the peer in that life.
type note struct {
	life, errors int
	number       int
	text         string
}

// Divide implements Divisible: it divides the text.
func (n note) Divide(most int) (parts []sim.Message) {
	for text := n.text; text != ""; {
		size := min(most, len(text))
		parts = append(parts, note{n.life, n.errors, n.number, text[:size]})
		text = text[size:]
	}
	return parts
}

// Unite implements Divisible: it joins the texts of the parts.
func (n note) Unite(parts []sim.Message) sim.Message {
	n.text = ""
	for _, p := range parts {
		n.text += p.(note).text
	}
	return n
}

// app sends notes to its peers. After an error it begins again with that peer.
type app struct {
	messages int    // number to send to each peer; 0 means that it only listens
	text     string // the text of each note

	begun  bool
	life   int
	errors map[sim.Addr]int
	sent   map[sim.Addr]int // by peer: number of notes sent in this incarnation
	last   sim.Addr         // the receiver of the last note
	waits  sim.Addr         // the peer whose buffer is full, or zero
	heard  map[sim.Addr]note
	clears int // number of ClearToSend signals that were not requested
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

// send sends notes to all peers in turn, until a buffer is full.
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

// next returns the next peer, in turn, for which the app has notes left, or zero if there is
// none.
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
