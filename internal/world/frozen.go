package world

import (
	"iter"

	"macemc/internal/sight"
	"macemc/sim"
)

// frozen is a list that is never written again once it is made: what a part of a
// bank or of a snapshot holds, and every world that stands in it reads. Whoever
// goes on from there makes a list of its own, by thaw or by freezing another.
type frozen[T any] struct{ items []T }

// freeze makes one of a list that its owner may go on writing.
func freeze[T any](items []T) frozen[T] { return frozen[T]{clone(items)} }

func (f frozen[T]) len() int   { return len(f.items) }
func (f frozen[T]) at(i int) T { return f.items[i] }

// thaw is the same list in the place of another, which its owner may write.
func (f frozen[T]) thaw(into []T) []T { return append(into[:0], f.items...) }

// guards are the layers of a node, from its own up, that offer actions and that
// decline messages and openings. A node keeps them for as long as it is in its place.
type guards struct {
	offerers  frozen[sim.Offerer]
	accepters frozen[sim.Accepter]
	openers   frozen[sim.Opener]
	gatherers frozen[sim.Gatherer]
}

func guardsOf(n sim.Node) guards {
	var offerers []sim.Offerer
	var accepters []sim.Accepter
	var openers []sim.Opener
	var gatherers []sim.Gatherer
	for n != nil {
		of := sight.Subject(n)
		if o, ok := of.(sim.Offerer); ok {
			offerers = append(offerers, o)
		}
		if a, ok := of.(sim.Accepter); ok {
			accepters = append(accepters, a)
		}
		if o, ok := of.(sim.Opener); ok {
			openers = append(openers, o)
		}
		if g, ok := of.(sim.Gatherer); ok {
			gatherers = append(gatherers, g)
		}
		l, ok := n.(sim.Layer)
		if !ok {
			break
		}
		n = l.Upper()
	}
	return guards{frozen[sim.Offerer]{offerers}, frozen[sim.Accepter]{accepters}, frozen[sim.Opener]{openers}, frozen[sim.Gatherer]{gatherers}}
}

// any reports whether there is one.
func (g guards) any() bool {
	return g.offerers.len()+g.accepters.len()+g.openers.len()+g.gatherers.len() > 0
}

// opens reports whether a script has an opening left that they let happen now.
func (g guards) opens(script []sim.Signal, next int) bool {
	if next >= len(script) {
		return false
	}
	for i := range g.openers.len() {
		if !g.openers.at(i).Opens(script[next]) {
			return false
		}
	}
	return true
}

// gathered tells the actions that they offer by what is in the node's set.
func (g guards) gathered(in iter.Seq2[sim.Addr, sim.Message], offer func(sim.Signal)) {
	for i := range g.gatherers.len() {
		g.gatherers.at(i).Gathers(in, offer)
	}
}

// offered tells the actions that they offer now.
func (g guards) offered(offer func(sim.Signal)) {
	for i := range g.offerers.len() {
		g.offerers.at(i).Offers(offer)
	}
}

// accept reports whether they all accept a message.
func (g guards) accept(from sim.Addr, m sim.Message) bool {
	for i := range g.accepters.len() {
		if !g.accepters.at(i).Accepts(from, m) {
			return false
		}
	}
	return true
}
