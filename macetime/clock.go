package macetime

import (
	"fmt"
	"slices"
	"time"
)

// Clock is what is known of the instants of one node. The zero Clock knows of
// none, and costs nothing. It is a plain value but for its bounds: Clone it before
// what is kept elsewhere must not change.
//
// For points i and j, bounds[i*n+j] is what x_i - x_j is at most. It is closed:
// bounds[i,j] <= bounds[i,k] + bounds[k,j] for all i, j, k; and consistent:
// bounds[i,i] is "at most 0". Who calls Read, Compare, Assume and Settle may rely
// on both.
type Clock struct {
	node    uint32  // whose it is, from 1
	n       int     // instants
	last    int     // the latest reading among them
	bounds  []bound // n*n
	counted uint64  // the latest Monotone
}

// bound is twice a duration, plus 1 where that is reached: the least bit tells
// "at most" from "less than". Smaller is tighter.
type bound int64

const free bound = 1<<63 - 1 // no bound

func atMost(d time.Duration) bound   { return bound(2*within(int64(d)) + 1) }
func lessThan(d time.Duration) bound { return bound(2 * within(int64(d))) }

func (b bound) span() time.Duration { return time.Duration(b >> 1) }
func (b bound) reached() bool       { return b&1 != 0 }

// plus is what two bounds in a row come to.
func (b bound) plus(o bound) bound {
	if b == free || o == free {
		return free
	}
	return bound(2*within(int64(b>>1+o>>1))) + b&o&1
}

// Of makes the clock of a node, by its number.
func Of(node int) Clock { return Clock{node: uint32(node) + 1} }

// IsZero reports whether nothing is known: the node holds neither a Time nor a
// Monotone.
func (c *Clock) IsZero() bool { return c.n == 0 && c.counted == 0 }

// Clone is a clock of its own that knows the same.
func (c *Clock) Clone() Clock {
	out := *c
	out.bounds = slices.Clone(c.bounds)
	return out
}

func (c *Clock) at(i, j int) bound { return c.bounds[i*c.n+j] }

// Read is a new instant, at or after all that were read before.
func (c *Clock) Read() Time {
	old, n := *c, c.n+1
	c.n, c.bounds = n, make([]bound, n*n)
	for i := range old.n {
		copy(c.bounds[i*n:], old.bounds[i*old.n:(i+1)*old.n])
		c.bounds[i*n+old.n] = old.at(i, old.last) // x_i - x_new <= x_i - x_last
		c.bounds[old.n*n+i] = free
	}
	c.bounds[n*n-1] = atMost(0)
	c.last = old.n
	return Time{node: c.node, point: uint32(n)}
}

// Count is a new Monotone, after all that were read before.
func (c *Clock) Count() Monotone {
	c.counted++
	return Monotone{c.counted}
}

// Check says what is wrong with a Time that a handler compares, or "".
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

// Compare says which answers to "is a before b" are possible: yes, no or both.
func (c *Clock) Compare(a, b Time) (yes, no bool) {
	if a.IsZero() || b.IsZero() {
		yes = a.IsZero() && !b.IsZero()
		return yes, !yes
	}
	i, j, d := between(a, b)
	// x_i - x_j < d fits unless x_j - x_i <= -d is implied, and the other way round.
	return c.at(j, i).plus(lessThan(d)) >= atMost(0), c.at(i, j).plus(atMost(-d)) >= atMost(0)
}

// between is a < b as x_i - x_j < d.
func between(a, b Time) (i, j int, d time.Duration) {
	return int(a.point) - 1, int(b.point) - 1, within(int64(b.offset - a.offset))
}

// Assume adds an answer, which must be possible, and closes the bounds again.
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

// Within makes b at most d after a: both are instants of one handler, say, which
// takes no longer. It must be possible.
func (c *Clock) Within(a, b Time, d time.Duration) {
	i, j, most := between(b, a)
	c.tighten(i, j, atMost(most).plus(atMost(d)))
}

// Due is a new instant, at which a timer is due that is set at a: from least to
// most after it. It is no reading.
func (c *Clock) Due(a Time, least, most time.Duration) Time {
	if least == most {
		return a.moved(least)
	}
	last := c.last
	due := c.Read()
	c.last = last
	k, i := int(due.point)-1, int(a.point)-1
	for j := range c.n { // as Read has it, it lies after the last
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

// Fire is the timer that is due at one instant being the first of them all: it is
// read then, or later. It must be possible: see MayPrecede.
func (c *Clock) Fire(due Time, others []Time) {
	for _, o := range others {
		c.Assume(o, due, false)
	}
	c.Assume(c.Read(), due, false)
}

// tighten makes x_i - x_j at most b. One new bound is used once at most by a
// shortest way, so one pass closes.
func (c *Clock) tighten(i, j int, b bound) {
	if b >= c.at(i, j) {
		return
	}
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

// Foreign returns what is wrong with a Time that a handler of a node compares if it is
// another node's, or "".
func Foreign(node int, t Time) string {
	if t.IsZero() || int(t.node) == node+1 {
		return ""
	}
	return fmt.Sprintf("is a time of node %d of the system; a time means nothing on another node: send a duration", t.node-1)
}
