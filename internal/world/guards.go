package world

import (
	"fmt"
	"math/bits"

	"macemc/sim"
)

// refresh brings the offers and acceptance of dirty nodes up to date.
func (w *World) refresh() {
	for d := w.links.dirty; d != 0; d &= d - 1 {
		w.refreshNode(bits.TrailingZeros64(d))
	}
	w.links.dirty = 0
}

func (w *World) refreshNode(i int) {
	ns := &w.nodes[i]
	w.actions -= len(ns.offers)
	ns.offers = ns.offers[:0]
	up := ns.life == lifeUp
	if w.audit.on {
		w.hook = "the Offers of " + addrOf(i).String()
	}
	if up && ns.guards.any() { // or the closure is made for nobody
		ns.guards.offered(func(s sim.Signal) { ns.offers = append(ns.offers, s) })
		w.gather(i)
	}
	if ns.guards.openers.len() > 0 {
		if w.audit.on {
			w.hook = "the Opens of " + addrOf(i).String()
		}
		w.script.Put(i, ns.life == lifeLate || up && ns.guards.opens(ns.script, ns.next))
	}
	if w.audit.on {
		w.hook = "the Accepts of " + addrOf(i).String()
	}
	w.actions += len(ns.offers)
	if w.cover != nil {
		for _, s := range ns.offers {
			w.cover.of(s).of[sim.KindAction].possible++
		}
	}

	w.links.members -= len(ns.accepted)
	ns.accepted = ns.accepted[:0]
	for k, m := range w.links.set.For(i) {
		if up && !w.environ.severed(m.From, i) && ns.guards.accept(addrOf(m.From), m.Message) {
			ns.accepted = append(ns.accepted, int32(k))
		}
	}
	w.links.members += len(ns.accepted)

	for from := range w.n {
		c := w.links.tcp.Channel(from, i)
		open := up && !w.environ.severed(from, i)
		w.links.acceptedTCP.Put(c, up && w.environ.connects(from, i) && w.links.tcp.Messages().Has(c) && ns.guards.accept(addrOf(from), w.links.tcp.Head(c).Message))
		w.links.acceptedUDP.Put(c, open && w.links.udp.Ready().Has(c) && ns.guards.accept(addrOf(from), w.links.udp.Head(c).Message))
	}
	w.hook = ""
}

// gather adds what a node offers by what is in its set.
func (w *World) gather(i int) {
	ns := &w.nodes[i]
	if ns.guards.gatherers.len() == 0 {
		return
	}
	if w.audit.on {
		w.hook = fmt.Sprintf("the Gathers of %s", addrOf(i))
	}
	ns.guards.gathered(func(yield func(sim.Addr, sim.Message) bool) {
		for _, m := range w.links.set.For(i) {
			if m.Count == 0 && !w.environ.severed(m.From, i) && !yield(addrOf(m.From), m.Message) {
				return
			}
		}
	}, func(s sim.Signal) { ns.offers = append(ns.offers, s) })
}
