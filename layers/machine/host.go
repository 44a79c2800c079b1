package machine

import (
	"fmt"

	"macemc/internal/charts"
	"macemc/sim"
)

// Ref names a machine on a Host. ID 0 is the host's first machine.
type Ref struct {
	Node sim.Addr
	ID   int
}

// A Host is a node with several machines; the first one exists from the start and may
// create others. Messages between machines of one host are delivered in steps of their own,
// in order for each pair of machines. Messages from other nodes go to the machine that they
// name. Requests of the script, errors of connections, and messages that name no machine go
// to the first machine. Guards (Offers, Accepts, Opens) are those of the first machine
// only.
type Host struct {
	members []*member     // the machines, by ID; nil for halted ones
	within  within        `mc:"-"` // the Env of the running machine
	tally   *charts.Tally // counts events, as in a Core
}

// member is a machine with the messages that others on its host have sent to it.
type member struct {
	node  sim.Node
	queue []parcel
}

func (m *member) push(p parcel) { m.queue = append(m.queue, p) }

func (m *member) pop() parcel {
	p := m.queue[0]
	if m.queue = m.queue[1:]; len(m.queue) == 0 {
		m.queue = nil
	}
	return p
}

// parcel is a message from one machine to another, on the same node or another one.
type parcel struct {
	From, To Ref
	Body     sim.Message
}

type ( // signals of the host
	turn  struct{ ID int } // the signal that the next parcel in the queue of a machine is delivered
	timed struct {         // a timer or a task of a machine other than the first
		ID     int
		Signal sim.Signal
	}
)

// within is the Env of one machine of a host.
type within struct {
	sim.Env
	host *Host
	id   int
	from Ref
}

// Hosting returns a Host with a first machine, which gets every message that names no
// machine.
func Hosting(first sim.Node) *Host { return &Host{members: []*member{{node: first}}} }

// Upper returns the first machine.
func (h *Host) Upper() sim.Node {
	if h.members[0] == nil {
		return nil
	}
	return h.members[0].node
}

func hosted(env sim.Env, what string) *within {
	w, is := env.(*within)
	if !is {
		panic(fmt.Sprintf("machine: the Env passed to %s (%T) is not that of a machine on a Host; make the node with machine.Hosting, and pass the Env of its handler", what, env))
	}
	return w
}

// New creates a machine on the host, and runs the entry of its first state.
func New(env sim.Env, n sim.Node) Ref {
	w := hosted(env, "New")
	before, self := *w, w.Self()
	id := w.host.add(w.Env, n)
	*w = before // the calling machine continues with the same Env
	return Ref{self, id}
}

// add starts a machine on the host, and returns its ID.
func (h *Host) add(env sim.Env, n sim.Node) int {
	h.members = append(h.members, &member{node: n})
	charts.Watch(n, h.tally)
	id := len(h.members) - 1
	n.Init(h.enter(env, id, Ref{}))
	return id
}

// end removes a machine.
func (h *Host) end(id int) { h.members[id] = nil }

// Self returns the name of the machine whose handler runs.
func Self(env sim.Env) Ref { w := hosted(env, "Self"); return Ref{w.Self(), w.id} }

// From returns the machine that sent the message that is being handled, or the zero Ref.
func From(env sim.Env) Ref { return hosted(env, "From").from }

// Halt ends the machine whose handler runs. Later messages to it are dropped.
func Halt(env sim.Env) {
	w := hosted(env, "Halt")
	w.host.end(w.id)
}

// Send sends a message to a machine: through its queue on this host, or else by TCP. It
// reports whether there was room.
func Send(env sim.Env, to Ref, body sim.Message) bool {
	w := hosted(env, "Send")
	p := parcel{Self(env), to, body}
	if to.Node != w.Self() {
		return w.Env.TCP().Send(to.Node, p)
	}
	if m := w.host.member(to.ID); m != nil {
		m.push(p)
	}
	return true
}

func (h *Host) member(id int) *member {
	if id < 0 || id >= len(h.members) {
		return nil
	}
	return h.members[id]
}

func (h *Host) enter(env sim.Env, id int, from Ref) sim.Env {
	h.within = within{env, h, id, from}
	return &h.within
}

// Offers makes the next parcel of each queue an event that can happen now.
func (h *Host) Offers(offer func(sim.Signal)) {
	for id, m := range h.members {
		if m != nil && len(m.queue) > 0 {
			offer(turn{id})
		}
	}
}

// Init starts the first machine.
func (h *Host) Init(env sim.Env) { h.members[0].node.Init(h.enter(env, 0, Ref{})) }

// Deliver passes a parcel to the machine that it names, and other messages to the first
// one.
func (h *Host) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	p, named := m.(parcel)
	if !named {
		p = parcel{Body: m}
	}
	if to := h.member(p.To.ID); to != nil {
		to.node.Deliver(h.enter(env, p.To.ID, p.From), from, p.Body)
	}
}

// Handle delivers the next parcel of a queue, and passes other signals to their machine, or
// else to the first one.
func (h *Host) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case turn:
		m := h.members[s.ID]
		p := m.pop()
		m.node.Deliver(h.enter(env, s.ID, p.From), p.From.Node, p.Body)
	case timed:
		if m := h.member(s.ID); m != nil {
			m.node.Handle(h.enter(env, s.ID, Ref{}), s.Signal)
		}
	default:
		if m := h.member(0); m != nil {
			m.node.Handle(h.enter(env, 0, Ref{}), s)
		}
	}
}
