package handler

import (
	"iter"

	"macemc/internal/contract"
	"macemc/internal/sight"
	"macemc/sim"
)

// Guards are the layers of a node that have guards, from the bottom up: they offer actions, or decide which
// messages and requests the node takes. They do not change after they are made, so copies of a node may
// share them.
type Guards struct {
	offerers  []contract.Offerer
	accepters []contract.Accepter
	openers   []contract.Opener
	gatherers []contract.Gatherer
	quorums   quorums
}

// GuardsOf returns the guards of a node.
func GuardsOf(n sim.Node) (g Guards) {
	g.quorums = quorumsOf(n)
	for n != nil {
		of := sight.Subject(n)
		if o, ok := of.(contract.Offerer); ok {
			g.offerers = append(g.offerers, o)
		}
		if a, ok := of.(contract.Accepter); ok {
			g.accepters = append(g.accepters, a)
		}
		if o, ok := of.(contract.Opener); ok {
			g.openers = append(g.openers, o)
		}
		if o, ok := of.(contract.Gatherer); ok {
			g.gatherers = append(g.gatherers, o)
		}
		n = Upper(n)
	}
	return g
}

// Upper returns the node that the layer n carries, or nil if n carries none.
func Upper(n sim.Node) sim.Node {
	if l, ok := n.(contract.Layer); ok {
		return l.Upper()
	}
	return nil
}

// Any reports whether a layer has guards.
func (g *Guards) Any() bool {
	return len(g.offerers)+len(g.accepters)+len(g.openers)+len(g.gatherers)+len(g.quorums.rules) > 0
}

// Acts reports whether a layer can offer actions; Gathers whether one reads the messages in the set;
// Quorate whether the node takes several messages at once; Declines whether a layer can decline messages;
// and HasOpens whether one can decline requests.
func (g *Guards) Acts() bool     { return len(g.offerers)+len(g.gatherers) > 0 }
func (g *Guards) Gathers() bool  { return len(g.gatherers) > 0 }
func (g *Guards) Quorate() bool  { return len(g.quorums.rules) > 0 }
func (g *Guards) Declines() bool { return len(g.accepters)+len(g.quorums.rules) > 0 }
func (g *Guards) HasOpens() bool { return len(g.openers) > 0 }

// Opens reports whether all layers take the request s now.
func (g *Guards) Opens(s sim.Signal) bool {
	for _, o := range g.openers {
		if !o.Opens(s) {
			return false
		}
	}
	return true
}

// Offer calls offer with each action that the layers offer now.
func (g *Guards) Offer(offer func(sim.Signal)) {
	for _, o := range g.offerers {
		o.Offers(offer)
	}
}

// Gather calls offer with each action that the layers offer now because of the messages in, which wait in
// the node's set: they were sent by sim.LinkSet and the node has not taken them.
func (g *Guards) Gather(in iter.Seq2[sim.Addr, sim.Message], offer func(sim.Signal)) {
	for _, o := range g.gatherers {
		o.Gathers(in, offer)
	}
}

// Accept reports whether the node takes the message m by itself now: all layers take it, and it is not of a
// kind that is taken only together with others.
func (g *Guards) Accept(from sim.Addr, m sim.Message) bool {
	if g.Awaits(m) {
		return false
	}
	for _, a := range g.accepters {
		if !a.Accepts(from, m) {
			return false
		}
	}
	return true
}
