package macetime

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// Time is an instant of one node's clock, read by Env.Now. It has no meaning on another
// node, so it must not be put into a message, a timer or the store. It cannot be a key of a
// map either.
//
// Only Env.Before reports which of two Times is earlier. Two Times that are == are the same
// instant; two that are not may still be the same one.
type Time struct {
	node   uint32 // the node whose clock it is, from 1
	point  uint32 // the number of the instant, from 1; 0 for the zero Time
	offset time.Duration
}

// IsZero reports whether t is the zero Time. It is before every other Time, and Add and Sub
// do not move it.
func (t Time) IsZero() bool { return t.point == 0 }

// Add returns the instant d after t.
func (t Time) Add(d time.Duration) Time {
	if d < 0 {
		panic(fmt.Sprintf("macemc: Time.Add(%s): a duration that is added is 0 or more; use Sub to go back", d))
	}
	return t.moved(d)
}

// Sub returns the instant d before t.
func (t Time) Sub(d time.Duration) Time {
	if d < 0 {
		panic(fmt.Sprintf("macemc: Time.Sub(%s): a duration that is taken off is 0 or more; use Add to go on", d))
	}
	return t.moved(-d)
}

func (t Time) moved(d time.Duration) Time {
	if !t.IsZero() {
		t.offset = within(int64(t.offset) + int64(d)) // both are below 1<<62, or within has panicked
	}
	return t
}

// spanMost is the longest time between two instants: 36 years. A bound is kept as twice its
// duration, and the sum of two bounds must not overflow.
const spanMost = math.MaxInt64 / 8

// within returns d, in nanoseconds, as a Duration. It panics if d is longer than spanMost.
func within(d int64) time.Duration {
	if d > spanMost || d < -spanMost {
		panic(fmt.Sprintf("macemc: two times are more than %s apart, which is more than macemc supports; use shorter durations",
			time.Duration(spanMost).Round(time.Hour)))
	}
	return time.Duration(d)
}

// Text returns the instant's name in its node's state: "t1+5s", "last-3s", "none".
func (t Time) Text() string {
	if t.IsZero() {
		return "none"
	}
	return name(int(t.point)-1) + span(t.offset)
}

// String returns Text with a mark in front, for people. The text means nothing to a
// program: the mark makes a runtime reject it in a message, in the store and in a node.
func (t Time) String() string { return marked(t.Text()) }

// Format writes String for every verb.
func (t Time) Format(w fmt.State, _ rune) { io.WriteString(w, t.String()) }

// name returns the name of an instant: the latest reading, or a number.
func name(point int) string {
	if point == 0 {
		return "last"
	}
	return fmt.Sprintf("t%d", point)
}

// span returns a duration with its sign, or "" for 0.
func span(d time.Duration) string {
	switch {
	case d > 0:
		return "+" + d.String()
	case d < 0:
		return d.String()
	}
	return ""
}

// Monotone is a reading that grows with every call of Env.Monotone on a node. Two readings of one
// node compare exactly, without a question to the search. A reading has no meaning on another node.
// The zero Monotone is before every other one.
type Monotone struct{ n uint64 }

// Less reports whether m was read before o.
func (m Monotone) Less(o Monotone) bool { return m.n < o.n }

// IsZero reports whether m was never read.
func (m Monotone) IsZero() bool { return m.n == 0 }

// Text returns its position among the Monotones that the node holds.
func (m Monotone) Text() string { return fmt.Sprintf("r%d", m.n) }

// String returns Text with a mark in front, as Time.String does.
func (m Monotone) String() string { return marked(m.Text()) }

// Format writes String for every verb.
func (m Monotone) Format(w fmt.State, _ rune) { io.WriteString(w, m.String()) }

// MarshalText returns an error, so that encoding/json fails where it would write {} and lose the
// instant.
func (t Time) MarshalText() ([]byte, error) { return nil, errNoText }

// MarshalText returns an error, as Time.MarshalText does.
func (m Monotone) MarshalText() ([]byte, error) { return nil, errNoText }

var errNoText = errors.New("a reading of a clock means nothing outside its node's memory, so it has no encoding; keep a time.Duration, or a field that is not encoded")

// Wall returns the instant at which a real clock shows that d has passed since it was started. It
// is for code that runs a node in real time. All such instants of a node belong to one clock;
// Earlier compares them.
func Wall(node int, d time.Duration) Time {
	return Time{node: uint32(node) + 1, point: 1, offset: within(int64(d))}
}

// Earlier reports whether a is before b, if both are instants of one real clock: see Wall.
func Earlier(a, b Time) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() && !b.IsZero()
	}
	return a.offset < b.offset
}

// Counted returns the n-th Monotone of a node. It is for code that runs nodes.
func Counted(n uint64) Monotone { return Monotone{n} }

// Instant marks a value as a reading of a clock.
func (t Time) Instant() {}

// Instant marks a value as a reading of a clock.
func (m Monotone) Instant() {}
