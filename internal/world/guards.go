package world

import (
	"fmt"

	"macemc/internal/state"
	"macemc/sim"
)

// refresh asks nodes that have changed which actions they offer and which messages they
// accept.
func (es *Events) refresh() {
	for i := es.links.Dirty(0); i >= 0; i = es.links.Dirty(i + 1) {
		es.refreshNode(i)
	}
	es.links.Fresh()
}

func (es *Events) refreshNode(i int) {
	ns := &es.nodes.at[i]
	es.nodes.actions -= len(ns.offers)
	ns.quiet()
	up := ns.life == lifeUp
	if es.audit != nil {
		es.asks("the Offers of " + state.AddrOf(i).String())
	}
	if up && ns.guards.Any() { // otherwise nothing is offered, and no closure need be made
		if bank, id := es.nodes.sums.Number(i); es.audit != nil || !ns.offersAgain(bank, id) {
			ns.offersNow(bank, id)
		}
		es.gather(i)
	}
	if ns.guards.HasOpens() {
		if es.audit != nil {
			es.asks("the Opens of " + state.AddrOf(i).String())
		}
		es.nodes.script.Put(i, ns.life == lifeLate || up && ns.opens())
	}
	es.assemble(i)
	if es.audit != nil {
		es.asks("the Accepts of " + state.AddrOf(i).String())
	}
	es.nodes.actions += len(ns.offers)
	if es.cover != nil {
		for _, s := range ns.offers {
			es.cover.Offered(sim.KindAction, s)
		}
	}

	es.links.Member(-len(ns.accepted))
	ns.declines()
	for k, m := range es.links.Set().For(i) {
		if up && !es.environ.severed(m.From, i) && ns.guards.Accept(state.AddrOf(m.From), m.Message) {
			ns.accepts(k)
		}
	}
	es.links.Member(len(ns.accepted))

	for from := range es.n {
		c := es.links.Channel(from, i)
		open := up && !es.environ.severed(from, i)
		tcp := up && es.environ.connects(from, i) && es.links.TCP().Messages().Has(c) && ns.guards.Accept(state.AddrOf(from), es.links.TCP().Head(c).Message)
		udp := open && es.links.UDP().Ready().Has(c) && ns.guards.Accept(state.AddrOf(from), es.links.UDP().Head(c).Message)
		es.links.Accept(c, tcp, udp)
	}
	es.asks("")
}

// quiet and declines clear two lists: the actions that the node offers, and the messages in its set that it
// accepts.
func (ns *nodeState) quiet()    { ns.offers = ns.offers[:0] }
func (ns *nodeState) declines() { ns.accepted = ns.accepted[:0] }

// offer adds s to the actions that the node offers, and accepts adds the k-th message of its set to those that
// it accepts.
func (ns *nodeState) offer(s sim.Signal) { ns.offers = append(ns.offers, s) }
func (ns *nodeState) accepts(k int)      { ns.accepted = append(ns.accepted, int32(k)) }

// offersNow asks the node which actions it offers. If the node is part id of a bank, it
// remembers the answer for offersAgain.
func (ns *nodeState) offersNow(bank any, id uint32) {
	if ns.offering == nil {
		ns.offering = ns.offer
	}
	ns.guards.Offer(ns.offering)
	ns.offered = offered{bank, id, append(ns.offered.signals[:0], ns.offers...)}
}

// offersAgain sets the node's actions to the remembered ones, and reports true, if the node
// is the same part of the same bank as when it was last asked. A search takes several steps
// from one state, and returns to it before each.
func (ns *nodeState) offersAgain(bank any, id uint32) bool {
	if id == 0 || ns.offered.id != id || ns.offered.bank != bank {
		return false
	}
	ns.offers = append(ns.offers, ns.offered.signals...)
	return true
}

// gather adds the actions that node i offers because of messages in its set to the list of actions
// that the node offers.
func (es *Events) gather(i int) {
	ns := &es.nodes.at[i]
	if !ns.guards.Gathers() {
		return
	}
	if es.audit != nil {
		es.asks(fmt.Sprintf("the Gathers of %s", state.AddrOf(i)))
	}
	ns.guards.Gather(func(yield func(sim.Addr, sim.Message) bool) {
		for _, m := range es.links.Set().For(i) {
			if m.Count == 0 && !es.environ.severed(m.From, i) && !yield(state.AddrOf(m.From), m.Message) {
				return
			}
		}
	}, ns.offer)
}
