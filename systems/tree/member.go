package tree

import "macemc/sim"

// Member is a node of a tree.
type Member interface {
	// Parent is the node's own: nobody if it has not joined, itself if it is a
	// root.
	Parent() sim.Addr
	// Children are those that the node believes to have.
	Children() map[sim.Addr]bool
}

// Around are the places that a node may move to, below its grandparent or one
// of its parent's children, less itself, its parent and its own children.
func Around(n Member, self, grandparent sim.Addr, brothers []sim.Addr) (places []sim.Addr) {
	papa, kids := n.Parent(), n.Children()
	for _, a := range append(brothers[:len(brothers):len(brothers)], grandparent) {
		if a != self && a != papa && !kids[a] {
			places = append(places, a)
		}
	}
	return places
}

// StayOrMove are the weights of the coin of a node that may move.
var StayOrMove = []int{3, 2}
