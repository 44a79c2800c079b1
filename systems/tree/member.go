package tree

import (
	"iter"
	"slices"

	"macemc/sim"
)

// Member is a node of a tree.
type Member interface {
	// Parent returns the node's parent: zero if the node has not joined, the node itself if it is a
	// root.
	Parent() sim.Addr
	// Children yields the nodes that the node lists as children.
	Children() iter.Seq[sim.Addr]
	// HasChild reports whether the node lists this one as a child.
	HasChild(sim.Addr) bool
}

// Reorg is a message from a parent that lets a child move.
type Reorg struct {
	grandparent sim.Addr
	brothers    []sim.Addr // the parent's children, including the receiver
}

// Reorganise makes a member send its children the names of other nodes that may become their
// parents. If a buffer is full, the message is lost. That does no harm, since later reorganisations
// send such messages again.
func Reorganise(env sim.Env, n Member) {
	kids := slices.SortedFunc(n.Children(), sim.Addr.Compare)
	for _, kid := range kids {
		_ = env.TCP().Send(kid, Reorg{n.Parent(), kids})
	}
}

// Around returns the nodes that may become the parent of node n, whose address is self: its
// grandparent and the children of its parent, but not itself, its parent or its own children.
func (m Reorg) Around(n Member, self sim.Addr) (places []sim.Addr) {
	papa := n.Parent()
	for _, a := range append(m.brothers[:len(m.brothers):len(m.brothers)], m.grandparent) {
		if a != self && a != papa && !n.HasChild(a) {
			places = append(places, a)
		}
	}
	return places
}

// StayOrMove has the weights of the coin by which a node decides whether to move to another
// place.
var StayOrMove = []int{3, 2}
