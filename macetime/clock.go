package macetime

import (
	"fmt"
	"slices"
	"time"
)

// Clock is the knowledge about the instants of one node. The zero Clock knows of none, and
// costs nothing. Copies share the slice of bounds: use Clone for a copy that must not change.
//
// bounds[i*n+j] is an upper bound of x_i - x_j, for instants i and j. The bounds are
// closed: bounds[i,j] <= bounds[i,k] + bounds[k,j] for all i, j, k. They are consistent:
// bounds[i,i] is "at most 0". Read, Compare, Assume and Settle keep both invariants and
// rely on them.
type Clock struct {
	node    uint32  // the node, from 1
	n       int     // the number of instants
	last    int     // the index of the instant that was read last
	bounds  []bound // n*n bounds
	counted uint64  // the Monotone that was read last
	settled bool    // nothing was learnt since the last call of Settle
}

// bound is twice a duration, plus 1 if that duration is included: the lowest bit
// distinguishes "at most" from "less than". A smaller bound is tighter.
type bound int64

const free bound = 1<<63 - 1 // the bound that says nothing

func atMost(d time.Duration) bound   { return bound(2*within(int64(d)) + 1) }
func lessThan(d time.Duration) bound { return bound(2 * within(int64(d))) }

func (b bound) span() time.Duration { return time.Duration(b >> 1) }
func (b bound) reached() bool       { return b&1 != 0 }

// plus returns the bound of a sum of two differences.
func (b bound) plus(o bound) bound {
	if b == free || o == free {
		return free
	}
	return bound(2*within(int64(b>>1+o>>1))) + b&o&1
}

// Of returns the clock of a node, which is given by its index.
func Of(node int) Clock { return Clock{node: uint32(node) + 1} }

// IsZero reports whether nothing is known: the node holds neither a Time nor a Monotone.
func (c *Clock) IsZero() bool { return c.n == 0 && c.counted == 0 }

// Clone returns a copy that shares no memory with c.
func (c *Clock) Clone() Clock {
	out := *c
	out.bounds = slices.Clone(c.bounds)
	return out
}

func (c *Clock) at(i, j int) bound { return c.bounds[i*c.n+j] }

// Read returns a new instant, at or after all earlier readings.
func (c *Clock) Read() Time {
	c.settled = false
	old, n := c.n, c.n+1
	c.n, c.bounds = n, slices.Grow(c.bounds, 2*old+1)[:n*n]
	for i := old - 1; i >= 0; i-- { // rows move up, the last one first
		row := c.bounds[i*n : (i+1)*n]
		copy(row, c.bounds[i*old:(i+1)*old])
		row[old] = row[c.last] // x_i - x_new <= x_i - x_last
		c.bounds[old*n+i] = free
	}
	c.bounds[n*n-1] = atMost(0)
	c.last = old
	return Time{node: c.node, point: uint32(n)}
}

// Count returns a new Monotone, after all earlier ones.
func (c *Clock) Count() Monotone {
	c.counted++
	c.settled = false
	return Monotone{c.counted}
}

// Check returns the problem with a Time that a handler compares, or "" if there is none.
func (c *Clock) Check(t Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.node != c.node:
		return Foreign(int(c.node)-1, t)
	case int(t.point) > c.n:
		return "was kept where the state does not show it; keep times in fields of the node that are part of its state"
	}
	return ""
}

// Compare returns which answers to "is a before b" are possible.
func (c *Clock) Compare(a, b Time) (yes, no bool) {
	if a.IsZero() || b.IsZero() {
		yes = a.IsZero() && !b.IsZero()
		return yes, !yes
	}
	i, j, d := between(a, b)
	// x_i - x_j < d is possible unless x_j - x_i <= -d is implied, and the other way round.
	return c.at(j, i).plus(lessThan(d)) >= atMost(0), c.at(i, j).plus(atMost(-d)) >= atMost(0)
}

// between expresses a < b as a bound x_i - x_j < d on two instants.
func between(a, b Time) (i, j int, d time.Duration) {
	return int(a.point) - 1, int(b.point) - 1, within(int64(b.offset - a.offset))
}

// Assume adds to the clock's knowledge whether a is before b. The answer must be one that Compare
// reports as possible.
func (c *Clock) Assume(a, b Time, before bool) {
	if a.IsZero() || b.IsZero() {
		return
	}
	i, j, d := between(a, b)
	if before {
		c.tighten(i, j, lessThan(d))
	} else {
		c.tighten(j, i, atMost(-d))
	}
}

// Within adds to the clock's knowledge that b is at most d later than a, which must be possible.
// For example, both are instants of one handler, which takes no longer than d.
func (c *Clock) Within(a, b Time, d time.Duration) {
	i, j, most := between(b, a)
	c.tighten(i, j, atMost(most).plus(atMost(d)))
}

// Due returns a new instant, the deadline of a timer that is set at a. It is between a+least and
// a+most. It does not count as a reading of the clock.
func (c *Clock) Due(a Time, least, most time.Duration) Time {
	if least == most {
		return a.moved(least)
	}
	last := c.last
	due := c.Read()
	c.last = last
	k, i := int(due.point)-1, int(a.point)-1
	for j := range c.n { // Read has made the instant one after the last reading, but a deadline may be before it
		c.bounds[j*c.n+k] = free
	}
	c.bounds[k*c.n+k] = atMost(0)
	c.tighten(k, i, atMost(a.offset).plus(atMost(most)))
	c.tighten(i, k, atMost(-a.offset).plus(atMost(-least)))
	return due
}

// MayPrecede reports whether a may be at or before b.
func (c *Clock) MayPrecede(a, b Time) bool {
	_, no := c.Compare(b, a)
	return no
}

// Fire assumes that the timer with deadline due fires before the timers with the other
// deadlines, and that the next reading is at or after its deadline. This must be possible:
// see MayPrecede.
func (c *Clock) Fire(due Time, others []Time) {
	for _, o := range others {
		c.Assume(o, due, false)
	}
	c.Assume(c.Read(), due, false)
}

// tighten makes x_i - x_j at most b. A shortest path uses a new bound at most once, so one
// pass closes the bounds.
func (c *Clock) tighten(i, j int, b bound) {
	if b >= c.at(i, j) {
		return
	}
	c.settled = false
	if c.at(j, i).plus(b) < atMost(0) {
		panic("macemc bug: macetime: an answer was assumed that is not possible; Compare says which are")
	}
	for k := range c.n {
		way := c.at(k, i).plus(b)
		if way == free {
			continue
		}
		for l := range c.n {
			at := &c.bounds[k*c.n+l]
			*at = min(*at, way.plus(c.at(j, l)))
		}
	}
}

// Foreign returns the problem with a Time that a handler compares if it belongs to another
// node, or "".
func Foreign(node int, t Time) string {
	if t.IsZero() || int(t.node) == node+1 {
		return ""
	}
	return fmt.Sprintf("is a time of node %d of the system; a time means nothing on another node: send a duration", t.node-1)
}
