package core

import (
	"math"
	"time"
	_ "unsafe" // for the name of the library's reference time

	kcp "github.com/xtaci/kcp-go/v5"
)

// The library measures time by currentMs, a function of its own
// that nobody can replace: it returns the difference between the
// machine's clock and refTime, the instant at which the process was
// started. A difference that is too large for a time.Duration is
// cut to the largest Duration. So refTime is set to the year 1, and
// the library's clock stands still, whatever the machine's clock
// does.
//
//go:linkname refTime github.com/xtaci/kcp-go/v5.refTime
var refTime time.Time

const still = uint32(math.MaxInt64 / int64(time.Millisecond) & math.MaxUint32) // what it shows

func init() {
	refTime = time.Time{}
	if now := kcp.NewKCP(1, nil).Check(); now != still {
		panic("core: this version of the library has another clock than the one that is stopped here")
	}
}

// longest is the largest timeout of a segment if round trips are not timed. Without a limit, the
// timeout would grow with every loss, and there would be states without end. For the same reason
// takeBack keeps the pause before an end asks again for the other's window at its first value.
const longest = 2 * Interval

// Pass lets ms milliseconds pass. The library's clock stands still. So Pass moves each instant with
// which the library compares its clock back by ms: the library uses only differences of instants. An
// instant in the past becomes the present one, since the library treats both alike.
//
// A segment contains the time at which it was sent, and its acknowledgement repeats that time. If
// round trips are Timed, these times count from the beginning of the run, so a round trip takes as
// long as in the run. Otherwise all round trips take no time. Then the state does not contain how
// late it is, so the same states are reached again. Updates then come as soon as there is something
// to send, and otherwise time passes until something is due.
func (c *Conn) Pass(ms uint32) {
	if c.timed {
		c.now += ms
	}
	earlier := func(instant *uint32) {
		if *instant -= ms; int32(still-*instant) > 0 {
			*instant = still
		}
	}
	if earlier(c.word(tsFlush)); !c.timed {
		*c.word(tsFlush) = still
	}
	if *c.word(probeWait) != 0 {
		earlier(c.word(tsProbe))
	}
	for s := range c.segments(sndBuf) {
		earlier(s.word(resendTS))
		if c.timed {
			*s.word(ts) -= ms
		}
	}
}

// Next returns the time in milliseconds until an update has something to do. It is a multiple of
// Interval, the time from one update to the next.
func (c *Conn) Next() uint32 {
	next := uint32(math.MaxUint32)
	if c.Acks() > 0 || *c.word(probe) != 0 || c.Unsent() > c.count(sndBuf) && c.UnderWay() < c.room() {
		next = 0
	}
	if c.Closed() && *c.word(probeWait) == 0 {
		next = 0
	} else if c.Closed() {
		next = min(next, *c.word(tsProbe)-still)
	}
	for s := range c.segments(sndBuf) {
		if *s.word(acked) == 0 {
			next = min(next, *s.word(resendTS)-still)
		}
	}
	if next == math.MaxUint32 {
		next = 0 // nothing ever will
	}
	least := uint32(0)
	if c.timed {
		least = 1
	}
	return max(least, (next+Interval-1)/Interval) * Interval
}

// room returns the number of segments that may be under way at present.
func (c *Conn) room() int {
	room := min(*c.word(sndWnd), *c.word(rmtWnd))
	if *c.word(noCwnd) == 0 {
		room = min(room, max(*c.word(cwnd), 1))
	}
	return int(room)
}

// thither changes the times in an outgoing packet: the library has written when each segment was
// sent by its own clock, and thither replaces this by the time since the beginning of the run. See
// Pass.
func (c *Conn) thither(b []byte) {
	for h := range headers(b) {
		if h.kind() == kcp.IKCP_CMD_PUSH {
			h.setInstant(h.instant() - still + c.now)
		}
	}
}

// hither changes the times in an incoming packet: an acknowledgement says when its segment was
// sent, counted from the beginning of the run, and hither replaces this by the time on the
// library's clock. See Pass.
func (c *Conn) hither(b []byte) {
	for h := range headers(b) {
		if h.kind() == kcp.IKCP_CMD_ACK {
			h.setInstant(h.instant() - c.now + still)
		}
	}
}
