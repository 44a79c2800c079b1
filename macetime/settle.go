package macetime

import (
	"cmp"
	"slices"
	"time"
)

// Settle renumbers the instants that the node holds, in place, and forgets all others. held
// points to its Times in the order of the walk, each once, and counted to its Monotones in the
// same way. The result depends only on the known order of the Times in held, not on how it
// became known:
//
//  1. The first instant is the latest reading, since it bounds all later ones. The others
//     follow in the order in which the walk meets their first Time.
//  2. Instants whose difference is known exactly become one, and their Times differ by
//     offsets.
//  3. The time from other instants to the latest reading is forgotten, unless a Time in held
//     refers to that reading: the next reading may come any time after it.
func (c *Clock) Settle(held []*Time, counted []*Monotone) {
	c.rank(counted)
	if !slices.ContainsFunc(held, func(t *Time) bool { return !t.IsZero() }) {
		*c = Clock{node: c.node, counted: c.counted, settled: true}
		return
	}
	var few [4]place // most nodes hold no more
	s, points := settling{old: c}, append(few[:0], place{point: c.last})
	for _, t := range held {
		if !t.IsZero() {
			points = s.settle(points, t)
		}
	}
	*c = s.project(points)
	c.settled = true
}

// Settled reports whether Settle would change nothing: nothing was learnt since the last call, and
// the same instants are held in the same order.
func (c *Clock) Settled(held []*Time, counted []*Monotone) bool {
	if !c.settled || len(counted) > 0 || c.counted > 0 {
		return false
	}
	known, last := 1, false
	for _, t := range held {
		switch point := int(t.point); {
		case point == 0:
		case point > known+1 || point == known+1 && t.offset != 0:
			return false
		default:
			known, last = max(known, point), last || point == 1
		}
	}
	return known == c.n && last == c.holdsLast()
}

// holdsLast reports whether something is known about the time from another instant to the latest
// reading. Settle would have to forget it if no Time in the node refers to that reading.
func (c *Clock) holdsLast() bool {
	for j := 1; j < c.n; j++ {
		if c.at(0, j) != free {
			return true
		}
	}
	return c.n == 1
}

// rank renumbers the Monotones of the node from 1, in their order.
func (c *Clock) rank(counted []*Monotone) {
	sorted := slices.Clone(counted)
	slices.SortFunc(sorted, func(a, b *Monotone) int { return cmp.Compare(a.n, b.n) })
	next, was := uint64(0), uint64(0)
	for _, m := range sorted {
		if m.n > was {
			was, next = m.n, next+1
		}
		if m.n > 0 {
			m.n = next
		}
	}
	c.counted = next
}

// settling is the state of one call of Settle, but for the list of points, which would then be allocated.
type settling struct {
	old      *Clock
	lastHeld bool
}

// place says which old instant a new instant stands for: the new one is shift after the old
// one.
type place struct {
	point int
	shift time.Duration
}

// settle renumbers one Time, and returns the points with its own.
func (s *settling) settle(points []place, t *Time) []place {
	i := int(t.point) - 1
	for k, p := range points {
		if d, exact := s.old.exact(i, p.point); exact {
			*t = Time{t.node, uint32(k) + 1, within(int64(t.offset + d - p.shift))}
			s.lastHeld = s.lastHeld || k == 0
			return points
		}
	}
	points = append(points, place{i, t.offset})
	*t = Time{t.node, uint32(len(points)), 0}
	return points
}

// exact returns x_i - x_j, if that is known exactly.
func (c *Clock) exact(i, j int) (time.Duration, bool) {
	most, least := c.at(i, j), c.at(j, i)
	return most.span(), most != free && least != free && most.reached() && least.reached() && most.span() == -least.span()
}

// project returns the knowledge about the new instants.
func (s *settling) project(points []place) Clock {
	n := len(points)
	var few [16]bound
	bounds := slices.Grow(few[:0], n*n)[:n*n]
	for i, p := range points {
		for j, q := range points {
			b := s.old.at(p.point, q.point)
			if i == 0 && j > 0 && !s.lastHeld {
				b = free
			}
			if b != free {
				b = b.plus(atMost(p.shift - q.shift))
			}
			bounds[i*n+j] = b
		}
	}
	return Clock{node: s.old.node, n: n, bounds: append(s.old.bounds[:0], bounds...), counted: s.old.counted}
}
