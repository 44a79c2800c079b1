package pastry

import "macemc/sim"

// side is one of the two directions of the ring.
type side int

const (
	right side = iota // clockwise: higher keys
	left
)

// half has the leaves on one side of a node.
type half struct {
	leaves []sim.Addr
	bound  sim.Addr // the farthest of them, or zero if there are none
}

// dist returns the distance from the node to node a in the direction of side s.
func (n *node) dist(s side, a sim.Addr) key {
	if s == right {
		return n.keys.of(a).minus(n.key())
	}
	return n.key().minus(n.keys.of(a))
}

// leaf reports whether node a is a leaf of this node.
func (n *node) leaf(a sim.Addr) bool {
	return has(n.half[right].leaves, a) || has(n.half[left].leaves, a)
}

// leaves returns the leaves of both halves.
func (n *node) leaves() (all []sim.Addr) {
	for s := range n.half {
		for _, a := range n.half[s].leaves {
			all = with(all, a)
		}
	}
	return all
}

// suits reports whether node a may be put into the half on side s: the half is not full, or a is
// closer than its farthest leaf.
func (n *node) suits(s side, a sim.Addr) bool {
	h := &n.half[s]
	return len(h.leaves) < n.most || n.dist(s, a).less(n.dist(s, h.bound))
}

// fits reports whether node a is not a leaf yet, and is close enough to become one.
func (n *node) fits(a sim.Addr) bool {
	return a != n.self && !n.leaf(a) && (n.suits(right, a) || n.suits(left, a))
}

// place makes node a one of the leaves if it is close enough, and reports whether it did. It puts
// the node into the half on whose side it is closer, if it suits that half, or else into the other
// one. If the half is full, it loses its farthest leaf, which is then tried in the other half, and
// so on. Each of these moves replaces a leaf by a closer one, so they end.
//
// A node that is left over is farther to the right than all leaves of the right half, and farther
// to the left than all of the left half. So after all nodes were placed, the leaves are the nearest
// nodes on both sides, in whatever order they came.
func (n *node) place(env sim.Env, a sim.Addr) bool {
	if !n.fits(a) {
		return false
	}
	s, refused := right, 0
	if n.dist(left, a).less(n.dist(right, a)) {
		s = left
	}
	for b := a; !b.IsZero() && refused < 2; s = 1 - s {
		if !n.suits(s, b) {
			refused++
			continue
		}
		b = n.put(env, s, b)
		refused = 1 // whom a half drives out does not suit it
	}
	return true
}

// put adds node a to the half on side s, for which suits has returned true. If the half is full, put
// removes its farthest leaf and returns it; otherwise it returns the zero address.
func (n *node) put(env sim.Env, s side, a sim.Addr) (out sim.Addr) {
	h := &n.half[s]
	if len(h.leaves) == n.most {
		out = h.bound
		h.leaves = without(h.leaves, out)
	}
	h.leaves = with(h.leaves, a)
	n.measure(env, s)
	return out
}

// measure finds the farthest leaf of the half on side s.
func (n *node) measure(env sim.Env, s side) {
	h := &n.half[s]
	h.bound = sim.Addr{}
	for _, a := range h.leaves {
		if h.bound.IsZero() || n.atMost(env, n.dist(s, h.bound), n.dist(s, a)) {
			h.bound = a
		}
	}
}

// atMost reports whether distance a is not longer than b.
func (n *node) atMost(env sim.Env, a, b key) bool {
	if env.Bug(PA3) { // a difference of more than half of the ring is taken for an overflow
		return !b.minus(a).beyondHalf()
	}
	return a.compare(b) <= 0
}

// unplace removes node a from the leaves.
func (n *node) unplace(env sim.Env, a sim.Addr) {
	for s := range n.half {
		h := &n.half[s]
		if has(h.leaves, a) {
			h.leaves = without(h.leaves, a)
			n.measure(env, side(s))
		}
	}
}

// covers reports whether the leaves suffice to decide which node is closest to key k. They do if k
// is not beyond the farthest leaves, or if the halves are not full, since then every known node is
// a leaf.
func (n *node) covers(k key) bool {
	r, l := &n.half[right], &n.half[left]
	return len(r.leaves) < n.most || len(l.leaves) < n.most ||
		!n.dist(right, r.bound).less(k.minus(n.key())) || !n.dist(left, l.bound).less(n.key().minus(k))
}

// successor returns the nearest leaf clockwise, or the node itself if it has none.
func (n *node) successor() sim.Addr { return n.nearest(right) }

// predecessor returns the nearest leaf counterclockwise, or the node itself if it has none.
func (n *node) predecessor() sim.Addr { return n.nearest(left) }

func (n *node) nearest(s side) sim.Addr {
	next := n.self
	for i := range n.half {
		for _, a := range n.half[i].leaves {
			if next == n.self || n.dist(s, a).less(n.dist(s, next)) {
				next = a
			}
		}
	}
	return next
}
