package macetime

import (
	"fmt"
	"math"
	"time"
)

// Time is an instant of one node's clock, read by Env.Now. It means nothing on
// another node, so it may be put neither into a message nor into a timer nor into
// the store, and no key of a map holds one.
//
// Only Env.Before tells which of two is earlier. Two Times that are == are one
// instant; two that are not may still be one.
type Time struct {
	node   uint32 // of which clock, from 1
	point  uint32 // which instant of it, from 1; 0: none
	offset time.Duration
}

// IsZero reports whether t is the zero Time, which is no instant: it is before
// every other, and no duration moves it.
func (t Time) IsZero() bool { return t.point == 0 }

// Add is the instant that comes d after t.
func (t Time) Add(d time.Duration) Time {
	if d < 0 {
		panic(fmt.Sprintf("macemc: Time.Add(%s): a duration that is added is 0 or more; use Sub to go back", d))
	}
	return t.moved(d)
}

// Sub is the instant that comes d before t.
func (t Time) Sub(d time.Duration) Time {
	if d < 0 {
		panic(fmt.Sprintf("macemc: Time.Sub(%s): a duration that is taken off is 0 or more; use Add to go on", d))
	}
	return t.moved(-d)
}

func (t Time) moved(d time.Duration) Time {
	if !t.IsZero() {
		t.offset = within(int64(t.offset) + int64(d)) // both below 1<<62, or within says so
	}
	return t
}

// spanMost is the most that two instants can be apart: 36 years. A bound is kept
// as twice its duration, and sums of two must not overflow.
const spanMost = math.MaxInt64 / 8

// within refuses a span that no bound could hold.
func within(d int64) time.Duration {
	if d > spanMost || d < -spanMost {
		panic(fmt.Sprintf("macemc: two times are more than %s apart; no clock is kept that long",
			time.Duration(spanMost).Round(time.Hour)))
	}
	return time.Duration(d)
}

// String is the instant's name in its node's state: "t1+5s", "last-3s", "none".
func (t Time) String() string {
	if t.IsZero() {
		return "none"
	}
	return name(int(t.point)-1) + span(t.offset)
}

// name is that of an instant: the latest reading, or a number.
func name(point int) string {
	if point == 0 {
		return "last"
	}
	return fmt.Sprintf("t%d", point)
}

// span is a duration with its sign, "" for none.
func span(d time.Duration) string {
	switch {
	case d > 0:
		return "+" + d.String()
	case d < 0:
		return d.String()
	}
	return ""
}

// Monotone is a reading that grows with every call of Env.Monotone on a node.
// Two readings of one node compare exactly, and without a question; what one was
// read from another node means nothing there. The zero Monotone was read before
// every other.
type Monotone struct{ n uint64 }

// Less reports whether m was read before o.
func (m Monotone) Less(o Monotone) bool { return m.n < o.n }

// IsZero reports whether m was never read.
func (m Monotone) IsZero() bool { return m.n == 0 }

// String is its place among those that the node holds.
func (m Monotone) String() string { return fmt.Sprintf("r%d", m.n) }

// Wall is the instant at which a real clock shows d since it was started: for who runs
// a node in real time. All of a node's are of one clock, and compare by Earlier.
func Wall(node int, d time.Duration) Time {
	return Time{node: uint32(node) + 1, point: 1, offset: within(int64(d))}
}

// Earlier reports whether a is before b, where both are of one real clock: see Wall.
func Earlier(a, b Time) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() && !b.IsZero()
	}
	return a.offset < b.offset
}

// Counted is the n-th reading of a node: for who runs it.
func Counted(n uint64) Monotone { return Monotone{n} }

// Instant says that a value is a reading of a clock: there is no more to it.
func (t Time) Instant() {}

// Instant says that a value is a reading of a clock: there is no more to it.
func (m Monotone) Instant() {}
