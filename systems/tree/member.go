package tree

import (
	"iter"
	"slices"

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

// Reorg is from a parent: you may move.
type Reorg struct {
	grandparent sim.Addr
	brothers    []sim.Addr // you included
}

// Reorganise has a member send its children other nodes that may be their parents. It is no
// more than a hint: if there is no room for it, the next one will do.
func Reorganise(env sim.Env, n Member) {
	kids := slices.SortedFunc(n.Children(), sim.Addr.Compare)
	for _, kid := range kids {
		_ = env.TCP().Send(kid, Reorg{n.Parent(), kids})
	}
}

// Around returns the places that a node may move to, below its grandparent or one of its
// parent's children, less itself, its parent and its own children.
func (m Reorg) Around(n Member, self sim.Addr) (places []sim.Addr) {
	papa := n.Parent()
	for _, a := range append(m.brothers[:len(m.brothers):len(m.brothers)], m.grandparent) {
		if a != self && a != papa && !n.HasChild(a) {
			places = append(places, a)
		}
	}
	return places
}

// StayOrMove are the weights of the coin of a node that may move.
var StayOrMove = []int{3, 2}
