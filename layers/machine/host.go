package machine

import (
	"fmt"

	"macemc/sim"
)

// Ref names a machine on a Host. ID 0 is the machine that the host began with.
type Ref struct {
	Node sim.Addr
	ID   int
}

// A Host is a node that has several machines, the first of which may make others. What
// they send one another on one host comes in steps of their own, in order from one machine
// to another; what comes from other nodes goes to the machine that is named. Requests of the script, errors of
// connections and what names no machine go to the first; guards (Offers, Accepts, Opens) are asked of the first alone.
type Host struct {
	members []*member       // by ID; halted ones are nil
	within  within          `mc:"-"` // the Env of the machine that runs
	tally   *sim.ChartTally // as of a Core
}

// member is a machine, with what others on its host have sent it.
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

// parcel is a message from one machine to another. It travels as such between nodes.
type parcel struct {
	From, To Ref
	Body     sim.Message
}

type ( // signals of the host
	turn  struct{ ID int } // the next parcel in a machine's queue
	timed struct {         // a timer or a task of a machine but the first
		ID     int
		Signal sim.Signal
	}
)

// within is the Env of one machine.
type within struct {
	sim.Env
	host *Host
	id   int
	from Ref
}

// Hosting makes a Host of a first machine, which gets everything that names no other one.
func Hosting(first sim.Node) *Host { return &Host{members: []*member{{node: first}}} }

// Upper is the first machine.
func (h *Host) Upper() sim.Node {
	if h.members[0] == nil {
		return nil
	}
	return h.members[0].node
}

func hosted(env sim.Env, what string) *within {
	w, is := env.(*within)
	if !is {
		panic(fmt.Sprintf("machine: %s was given the Env of a node that has no Host (%T); make it with machine.Hosting, and pass on the Env of its handler", what, env))
	}
	return w
}

// New makes another machine on the host, and runs the entry of its first state.
func New(env sim.Env, n sim.Node) Ref {
	w := hosted(env, "New")
	before, self := *w, w.Self()
	id := w.host.add(w.Env, n)
	*w = before // the machine that asked goes on, with the same Env
	return Ref{self, id}
}

// add starts one more machine.
func (h *Host) add(env sim.Env, n sim.Node) int {
	h.members = append(h.members, &member{node: n})
	sim.WatchCharts(n, h.tally)
	id := len(h.members) - 1
	n.Init(h.enter(env, id, Ref{}))
	return id
}

// end drops a machine.
func (h *Host) end(id int) { h.members[id] = nil }

// Self is the machine that runs.
func Self(env sim.Env) Ref { w := hosted(env, "Self"); return Ref{w.Self(), w.id} }

// From is the machine that sent what is handled; the zero Ref if none did.
func From(env sim.Env) Ref { return hosted(env, "From").from }

// Halt ends the machine that runs. What is sent to it later is dropped.
func Halt(env sim.Env) {
	w := hosted(env, "Halt")
	w.host.end(w.id)
}

// Send sends a message to a machine: on this host into its queue, else by TCP. It reports
// whether there was room.
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

// Offers lets each machine take the next parcel of its queue.
func (h *Host) Offers(offer func(sim.Signal)) {
	for id, m := range h.members {
		if m != nil && len(m.queue) > 0 {
			offer(turn{id})
		}
	}
}

// Init starts the first machine.
func (h *Host) Init(env sim.Env) { h.members[0].node.Init(h.enter(env, 0, Ref{})) }

// Deliver hands a parcel to its machine, and everything else to the first one.
func (h *Host) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	p, named := m.(parcel)
	if !named {
		p = parcel{Body: m}
	}
	if to := h.member(p.To.ID); to != nil {
		to.node.Deliver(h.enter(env, p.To.ID, p.From), from, p.Body)
	}
}

// Handle takes a turn of a queue, hands a machine its own signals, and everything else to the first one.
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
