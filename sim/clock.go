package sim

import (
	"fmt"
	"time"
)

// Clock is what a system guarantees about the clock of each node. With a Clock, timers fire
// in the order in which they are due by the clock that Env.Now reads: a timer fires only if
// it can be the first one due on its node, and every later reading is at or after its
// deadline.
//
// The guarantee is narrower than it looks. A node may handle a timer or a message
// arbitrarily late, and the clocks of two nodes are unrelated.
type Clock struct {
	// Drift is the percentage by which a timer may run faster or slower than the clock. If
	// it is 25, a timer of 10s is due after 8s to 12.5s.
	Drift int
	// Handlers is the longest time that a handler takes by the clock, and so the largest
	// difference between the times that it reads and between the timers that it sets.
	Handlers time.Duration
}

// driftMost is the largest allowed drift: a timer that runs ten times as fast.
const driftMost = 900

// Span returns the shortest and the longest time after which a timer of d is due.
func (c *Clock) Span(d time.Duration) (least, most time.Duration) {
	if c.Drift == 0 {
		return d, d
	}
	whole, part := d/100, d%100 // dividing before multiplying avoids overflow
	faster := time.Duration(100 + c.Drift)
	most = whole*faster + (part*faster+99)/100
	least = d / faster * 100
	return least + d%faster*100/faster, most
}

// String returns the guarantee in words.
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
