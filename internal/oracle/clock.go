package oracle

import "macemc/internal/spec"

import "fmt"

// This is what the documents say about the times of a node. A clock does not run backwards,
// and between two readings any time may pass. Comparisons follow from the answers given
// before. If the system promises a clock, a timer is due within a range of times after it
// was set, fires only if no other timer of the node must be due before it, and all later
// readings are at or after it; and a handler takes a limited time.
//
// Here that is a table of bounds: how much one point may be after another. The points have
// fixed places: the latest reading, the beginning of the handler, the node's two times, and
// the deadlines of its two timers. Times are whole seconds and instants are dense, so a
// bound is a number, included or not.

const (
	last   = iota // the latest reading; later readings are not before it
	began         // the first reading of the handler; only while it runs
	time0         // the node's two times are time0 and time1
	ring0  = time0 + 2
	points = ring0 + 2
)

// most is an upper bound on the distance between two times, in half seconds. An even number
// includes the bound: 6 means at most 3 seconds. The odd number below it excludes the bound: 5
// means less than 3 seconds.
type most int

const boundless most = 1 << 40

// plus returns the upper bound that follows for the sum of two distances.
func (m most) plus(o most) most {
	if m == boundless || o == boundless {
		return boundless
	}
	below := m&1 | o&1
	return m + m&1 + o + o&1 - below
}

// clock has everything that a node knows about its times: for each pair of points, which
// are times such as the latest reading, a bound on the distance between them. The zero
// clock has no points.
type clock struct {
	There [points]bool // whether the point exists
	After [points][points]most
}

// put adds point p, without bounds.
func (c *clock) put(p int) {
	c.There[p] = true
	for i := range points {
		c.After[p][i], c.After[i][p] = boundless, boundless
	}
	c.After[p][p] = 0
}

func (c *clock) drop(p int) { c.There[p] = false }

// know records a new bound, that point a is at most the distance by after point b, and all bounds
// that follow from it and the known ones.
func (c *clock) know(a, b int, by most) {
	c.After[a][b] = min(c.After[a][b], by)
	for k := range points {
		for i := range points {
			for j := range points {
				if c.There[i] && c.There[j] && c.There[k] {
					c.After[i][j] = min(c.After[i][j], c.After[i][k].plus(c.After[k][j]))
				}
			}
		}
	}
}

// copyTo makes p the point that is the given number of seconds after the point of.
func (c *clock) copyTo(p, of, seconds int) {
	was, by := *c, most(2*seconds)
	if p != of {
		c.put(p)
	}
	for i := range points {
		if i != p && was.There[i] {
			c.After[p][i], c.After[i][p] = was.After[of][i].plus(by), was.After[i][of].plus(-by)
		}
	}
}

// later lets some time pass: the next reading is at or after the last one, by any amount.
func (c *clock) later() {
	if !c.There[last] {
		c.put(last)
	}
	for i := range points {
		if i != last {
			c.After[last][i] = boundless
		}
	}
}

// read lets the node read its clock. Setting a timer reads it, too.
func (c *clock) read(pace *spec.Pace) {
	c.later()
	switch {
	case pace == nil:
	case !c.There[began]:
		c.copyTo(began, last, 0)
	default:
		c.know(last, began, most(2*pace.Handlers))
	}
}

// may says what the answer to "is time a before time b?" can be, by the known bounds: yes, no, or
// both.
func (c *clock) may(a, b int) (yes, no bool) {
	if a == b {
		return false, true
	}
	return c.After[b][a] > 0, c.After[a][b] >= 0
}

func (c *clock) answer(a, b int, before bool) {
	if before {
		c.know(a, b, -1)
	} else {
		c.know(b, a, 0)
	}
}

// set records that the timer ring was set to this number of seconds.
func (c *clock) set(ring, seconds int, pace *spec.Pace) {
	c.read(pace)
	c.put(ring0 + ring)
	least, longest := span(pace, seconds)
	c.know(last, ring0+ring, most(-2*least))
	c.know(ring0+ring, last, most(2*longest))
}

// first reports whether the timer ring may be the one that is due first.
func (c *clock) first(ring int) bool {
	other := ring0 + 1 - ring
	return !c.There[other] || c.After[other][ring0+ring] >= 0
}

// fire records that the timer ring is the one that is due first.
func (c *clock) fire(ring int) {
	at := ring0 + ring
	if other := ring0 + 1 - ring; c.There[other] {
		c.know(at, other, 0)
	}
	c.later()
	c.know(at, last, 0)
	c.drop(at)
}

// settle is called when a handler has returned, and removes the bounds that cannot affect a later
// answer. These are the bounds of the time when the handler began. If the node does not hold its last
// reading, they are also the upper bounds on that reading, since the next one may be any time later.
func (c *clock) settle() {
	c.drop(began)
	held, exact := false, false
	for p := time0; p < points; p++ {
		held = held || c.There[p]
		exact = exact || c.There[p] && c.There[last] && c.After[p][last] == -c.After[last][p] && c.After[p][last]&1 == 0
	}
	if !held {
		*c = clock{}
		return
	}
	if c.There[last] && !exact {
		c.later()
	}
}

// String returns all points and bounds.
func (c *clock) String() string {
	var b []byte
	for i := range points {
		for j := range points {
			if c.There[i] && c.There[j] && c.After[i][j] != boundless {
				b = fmt.Appendf(b, "%d-%d:%d ", i, j, c.After[i][j])
			}
		}
	}
	return string(b)
}

// span returns the least and the longest time in which a timer of this number of seconds is
// due, given how exact clocks are.
func span(p *spec.Pace, seconds int) (least, longest int) {
	if p.Drifts {
		return seconds / 2, 2 * seconds
	}
	return seconds, seconds
}
