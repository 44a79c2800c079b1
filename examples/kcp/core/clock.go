package core

import (
	"math"
	"time"
	_ "unsafe" // for the name of the library's reference time

	kcp "github.com/xtaci/kcp-go/v5"
)

// The library asks how much time has gone by since the process was started, and nobody
// can answer in its place: currentMs is a function of its own, which looks at the clock
// of the machine. But what it looks at is a difference of two instants, and a difference
// that is too large for a time.Duration is the largest that there is. So the instant at
// which the process was started is moved to the year 1, and the library's clock stands
// still, whatever the machine's does.
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

// longest is how long a timeout is at most, where round trips are not timed: beyond it,
// it only grows. The pause between two questions for the window stays what it is at first.
const longest = 2 * Interval

// Pass lets time go by. The clock cannot go on, so what it is compared with goes back:
// the library only ever looks at how far two instants are apart. What is due, is due,
// however long.
//
// Instants also travel: a segment says when it was sent, and its acknowledgement says it
// again. There they are counted from the beginning of the run, so that round trips take
// as long as they do. If they are not Timed, all take no time: then the state does not
// contain how late it is, and is found again. Updates come as soon as there is something
// to send, then, and time goes by where there is not, until something is due.
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

// Next is how long it is until an update will do anything, if it is called every
// Interval.
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

// room returns the number of segments that may be under way.
func (c *Conn) room() int {
	room := min(*c.word(sndWnd), *c.word(rmtWnd))
	if *c.word(noCwnd) == 0 {
		room = min(room, max(*c.word(cwnd), 1))
	}
	return int(room)
}

// thither writes into a packet that goes away when its segments are sent.
func (c *Conn) thither(b []byte) {
	for h := range headers(b) {
		if h.kind() == kcp.IKCP_CMD_PUSH {
			h.setInstant(h.instant() - still + c.now)
		}
	}
}

// hither writes into one that came when the segments that it acknowledges were sent, as
// seen from now.
func (c *Conn) hither(b []byte) {
	for h := range headers(b) {
		if h.kind() == kcp.IKCP_CMD_ACK {
			h.setInstant(h.instant() - c.now + still)
		}
	}
}
