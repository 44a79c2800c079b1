package tree

import "macemc/sim"

// Place is a node's place in the tree, as far as the node knows.
type Place struct {
	Papa sim.Addr // nobody: not joined; self: this is a root
	Kids map[sim.Addr]bool
}

// NewPlace is that of a node which has not joined.
func NewPlace() Place { return Place{Kids: map[sim.Addr]bool{}} }

// Joined reports whether the node has a parent, or is a root.
func (p *Place) Joined() bool { return !p.Papa.IsZero() }

// Around are the places that a node may move to, below its grandparent or one
// of the parent's children, less itself, its parent and its own children.
func (p *Place) Around(self, grandparent sim.Addr, brothers []sim.Addr) (places []sim.Addr) {
	for _, a := range append(brothers[:len(brothers):len(brothers)], grandparent) {
		if a != self && a != p.Papa && !p.Kids[a] {
			places = append(places, a)
		}
	}
	return places
}

// StayOrMove are the weights of the coin of a node that may move.
var StayOrMove = []int{3, 2}

// place makes every node that embeds a Place a member.
func (p *Place) place() *Place { return p }

// member is a node with a Place.
type member interface{ place() *Place }
