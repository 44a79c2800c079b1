package tree

import (
	"iter"

	"macemc/sim"
)

// Member is a node of a tree.
type Member interface {
	// Parent is the node's own: nobody if it has not joined, itself if it is a
	// root.
	Parent() sim.Addr
	// Children are those that the node believes to have.
	Children() iter.Seq[sim.Addr]
	// HasChild reports whether the node believes to have this one.
	HasChild(sim.Addr) bool
}

// Around are the places that a node may move to, below its grandparent or one
// of its parent's children, less itself, its parent and its own children.
func Around(n Member, self, grandparent sim.Addr, brothers []sim.Addr) (places []sim.Addr) {
	papa := n.Parent()
	for _, a := range append(brothers[:len(brothers):len(brothers)], grandparent) {
		if a != self && a != papa && !n.HasChild(a) {
			places = append(places, a)
		}
	}
	return places
}

// StayOrMove are the weights of the coin of a node that may move.
var StayOrMove = []int{3, 2}
