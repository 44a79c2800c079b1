package pastry

import "macemc/sim"

// side is one of the two ways round the ring.
type side int

const (
	right side = iota // clockwise: keys that are higher
	left
)

// half are the leaves on one side.
type half struct {
	leaves []sim.Addr
	bound  sim.Addr // the farthest of them; nobody, if there are none
}

// dist returns the distance to a, going to one side.
func (n *node) dist(s side, a sim.Addr) key {
	if s == right {
		return n.keys.of(a).minus(n.key())
	}
	return n.key().minus(n.keys.of(a))
}

// leaf reports whether a is one.
func (n *node) leaf(a sim.Addr) bool {
	return has(n.half[right].leaves, a) || has(n.half[left].leaves, a)
}

// leaves returns those of both halves.
func (n *node) leaves() (all []sim.Addr) {
	for s := range n.half {
		for _, a := range n.half[s].leaves {
			all = with(all, a)
		}
	}
	return all
}

// suits reports whether a half has room for a, or a is closer than its farthest.
func (n *node) suits(s side, a sim.Addr) bool {
	h := &n.half[s]
	return len(h.leaves) < n.most || n.dist(s, a).less(n.dist(s, h.bound))
}

// fits reports whether a is not a leaf yet, and is close enough to become one.
func (n *node) fits(a sim.Addr) bool {
	return a != n.self && !n.leaf(a) && (n.suits(right, a) || n.suits(left, a))
}

// place makes a leaf of a, and reports whether it is a new one. It comes to the
// half on whose side it is nearer, if it suits that, and else to the other one; whom
// it drives out of a full half is tried in the other, and so on. Each of these moves
// replaces a leaf by a closer one, so they end.
//
// A node that is left over is farther to the right than all in the right half, and
// farther to the left than all in the left half. So once everybody was placed,
// the leaves are the nearest nodes of both sides, whatever the order in which
// they came.
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

// put adds a leaf to a half which it suits, and returns whom it drove out.
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

// measure finds the farthest leaf of a half.
func (n *node) measure(env sim.Env, s side) {
	h := &n.half[s]
	h.bound = sim.Addr{}
	for _, a := range h.leaves {
		if h.bound.IsZero() || n.atMost(env, n.dist(s, h.bound), n.dist(s, a)) {
			h.bound = a
		}
	}
}

// atMost compares two distances.
func (n *node) atMost(env sim.Env, a, b key) bool {
	if env.Bug(PA3) { // a difference of more than half of the ring is taken for an overflow
		return !b.minus(a).beyondHalf()
	}
	return a.compare(b) <= 0
}

// unplace makes a none of the leaves.
func (n *node) unplace(env sim.Env, a sim.Addr) {
	for s := range n.half {
		h := &n.half[s]
		if has(h.leaves, a) {
			h.leaves = without(h.leaves, a)
			n.measure(env, side(s))
		}
	}
}

// covers reports whether the leaves are enough to say who is closest to k: it is
// not beyond the bounds, or the halves are not full, and so everybody who is known
// to be there is a leaf.
func (n *node) covers(k key) bool {
	r, l := &n.half[right], &n.half[left]
	return len(r.leaves) < n.most || len(l.leaves) < n.most ||
		!n.dist(right, r.bound).less(k.minus(n.key())) || !n.dist(left, l.bound).less(n.key().minus(k))
}

// successor returns the nearest leaf clockwise; the node itself, if it has none.
func (n *node) successor() sim.Addr { return n.nearest(right) }

// predecessor returns the nearest leaf the other way round.
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
