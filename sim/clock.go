package sim

import (
	"fmt"
	"time"
)

// Clock is what a system promises of the clock of each of its nodes. Its timers
// then fire in the order in which they are due, by the clock that Env.Now reads: a
// timer fires only if it can be the first of its node's, and what is read from then
// on is at or after the instant at which it was due.
//
// It promises less than one might think. A node may get round to a timer, and to a
// message, as late as it likes; and nothing relates the clocks of two nodes.
type Clock struct {
	// Drift is by how many percent a timer may run faster or slower than the
	// clock: one of 10s is due after 8s to 12.5s if it is 25.
	Drift int
	// Handlers is how long a handler takes at most, by the clock: that far apart
	// may be what it reads and the timers that it sets. 0: no time at all.
	Handlers time.Duration
}

// driftMost is the most that a clock may drift: ten times as fast.
const driftMost = 900

// Span is how long after it was set a timer is due, at least and at most.
func (c *Clock) Span(d time.Duration) (least, most time.Duration) {
	if c.Drift == 0 {
		return d, d
	}
	whole, part := d/100, d%100 // so that nothing overflows
	faster := time.Duration(100 + c.Drift)
	most = whole*faster + (part*faster+99)/100
	least = d / faster * 100
	return least + d%faster*100/faster, most
}

// String is the promise in words.
func (c *Clock) String() string {
	return fmt.Sprintf("drift of %d%%, handlers of %s", c.Drift, c.Handlers)
}

func (c *Clock) check() error {
	switch {
	case c == nil:
		return nil
	case c.Drift < 0 || c.Drift > driftMost:
		return fmt.Errorf("Clock says a Drift of %d%%; it must be from 0 to %d", c.Drift, driftMost)
	case c.Handlers < 0:
		return fmt.Errorf("Clock says Handlers of %s; it must be 0 or more", c.Handlers)
	}
	return nil
}
