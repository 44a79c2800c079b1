package world

import (
	"fmt"

	"macemc/internal/net"
	"macemc/internal/state"
	"macemc/netsim"
	"macemc/sim"
)

// assembly has the sets of messages that a node may take at once, and the places of these messages.
type assembly struct {
	pending []sim.Sent[sim.Message] // all pending messages, ordered by sender
	where   []spot                  // for each of them, where it was found
	places  []int32                 // the sets, one after another, as indices in pending
	ends    []int32                 // for each set, the end of its indices in places
}

// clear removes all messages and sets.
func (a *assembly) clear() {
	clear(a.pending)
	a.pending, a.where, a.places, a.ends = a.pending[:0], a.where[:0], a.places[:0], a.ends[:0]
}

// pends adds the message that event h delivers to a.pending, the messages from which sets are made.
func (a *assembly) pends(h *happening) {
	a.pending = append(a.pending, sim.Sent[sim.Message]{From: h.From, To: h.Node, Link: h.Link, Message: h.Value})
	a.where = append(a.where, h.spot)
}

// found adds a set of messages that the node may take together to the sets of a. places are the messages'
// indices in pending.
func (a *assembly) found(places []int32) {
	a.places = append(a.places, places...)
	a.ends = append(a.ends, int32(len(a.places)))
}

// len returns the number of sets.
func (a *assembly) len() int { return len(a.ends) }

// set returns the k-th set of messages, as indices in pending.
func (a *assembly) set(k int) []int32 {
	begin := int32(0)
	if k > 0 {
		begin = a.ends[k-1]
	}
	return a.places[begin:a.ends[k]]
}

// assemble finds the sets of messages that a node may take at once.
func (es *Events) assemble(i int) {
	ns := &es.nodes.at[i]
	es.nodes.assembled(-ns.assembly.len())
	ns.assembly.clear()
	if ns.life != lifeUp || !ns.guards.Quorate() {
		return
	}
	if es.audit != nil {
		es.asks(fmt.Sprintf("an OnQuorum of %s", state.AddrOf(i)))
	}
	l, members, slot := es.links, es.links.Set().For(i), 0
	for from := range es.n {
		c := l.Channel(from, i)
		if l.TCP().Messages().Has(c) && es.environ.connects(from, i) {
			ns.assembly.pends(new(happening).delivery(l, sim.LinkTCP, c, l.TCP().Head(c)))
		}
		open := !es.environ.severed(from, i)
		if open && l.UDP().Ready().Has(c) {
			ns.assembly.pends(new(happening).delivery(l, sim.LinkUDP, c, l.UDP().Head(c)))
		}
		for ; slot < len(members) && members[slot].From == from; slot++ {
			if open {
				ns.assembly.pends(new(happening).scattered(i, slot, &members[slot]))
			}
		}
	}
	es.quorums.Find(&ns.guards, ns.assembly.pending, ns.assembly.found)
	es.nodes.assembled(ns.assembly.len())
}

// gathers makes h the event that node i takes the k-th set of a.
func (h *happening) gathers(a *assembly, i, k int) {
	set := a.set(k)
	q, last := make(sim.Quorum, len(set)), int32(-1)
	for j, place := range set {
		q[j] = a.pending[place]
		last = max(last, a.where[place].cause)
	}
	h.own(sim.KindQuorum, i, k, q, last)
}

// causes returns the steps that sent the messages of the k-th set.
func (a *assembly) causes(k int) (steps []int) {
	for _, place := range a.set(k) {
		steps = append(steps, int(a.where[place].cause))
	}
	return steps
}

// gather removes the messages of the k-th set from their links and calls took for each. It
// begins with the last one, since removing a message changes the indices of those behind
// it.
func (a *assembly) gather(l *net.Links, k int, took func(o netsim.Origin)) {
	set := a.set(k)
	for j := len(set) - 1; j >= 0; j-- {
		place := set[j]
		took(l.Receive(a.pending[place].Link, a.where[place].Spot))
	}
}
