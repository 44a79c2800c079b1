package world

import (
	"macemc/sim"
	"math/bits"
)

// refresh brings the offers and acceptance of dirty nodes up to date.
func (w *World) refresh() {
	for d := w.dirty; d != 0; d &= d - 1 {
		w.refreshNode(bits.TrailingZeros64(d))
	}
	w.dirty = 0
}

func (w *World) refreshNode(i int) {
	ns := &w.nodes[i]
	w.actions -= len(ns.offers)
	ns.offers = ns.offers[:0]
	up := ns.life == lifeUp
	if w.audit.on {
		w.hook = "the Offers of " + addrOf(i).String()
	}
	if up {
		ns.guards.offered(func(s sim.Signal) { ns.offers = append(ns.offers, s) })
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

	w.members -= len(ns.accepted)
	ns.accepted = ns.accepted[:0]
	for k, m := range w.set.For(i) {
		if up && !w.severed(m.From, i) && ns.guards.accept(addrOf(m.From), m.Message) {
			ns.accepted = append(ns.accepted, int32(k))
		}
	}
	w.members += len(ns.accepted)

	for from := range w.n {
		c := w.tcp.Channel(from, i)
		open := up && !w.severed(from, i)
		w.openT.Put(c, up && w.connects(from, i) && w.tcp.Messages().Has(c) && ns.guards.accept(addrOf(from), w.tcp.Head(c).Message))
		w.openU.Put(c, open && w.udp.Ready().Has(c) && ns.guards.accept(addrOf(from), w.udp.Head(c).Message))
	}
	w.hook = ""
}
