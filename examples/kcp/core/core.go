// Package core wraps one connection of KCP, of github.com/xtaci/kcp-go/v5 as it was published, in a
// form that can be checked. The library reads the clock of the process, and keeps a function and a
// buffer of its own: clock.go controls the clock, and lend.go provides the function and the buffer
// only during a call.
//
// This package makes no decisions. go.mod selects the version of the library. Versions from v5.4 on
// fit: Input has two signatures, which are distinguished by their types.
package core

import (
	"unsafe"

	kcp "github.com/xtaci/kcp-go/v5"
)

// Segment is the number of bytes of a message in one segment. It is small, so that states are
// small. A packet has room for one segment with data, or for two without.
const Segment = mtu - overhead

const (
	mtu      = 50 // the least size that all versions of the library accept
	overhead = kcp.IKCP_OVERHEAD
)

// Interval is the time between two updates of a connection, in milliseconds.
const Interval = kcp.IKCP_INTERVAL

// Options are the options of a connection.
type Options struct {
	Conv          uint32 // the same at both ends
	First         uint32 // the number of the first segment, in both directions
	Send, Receive int    // windows, in segments
	Resend        int    // the number of later acks after which a segment counts as lost; 0 means that acks are not counted
	Congestion    bool   // there is a congestion window besides that of the receiver
	Timed         bool   // round trips are timed: see Pass
}

// Conn is one end of a connection.
type Conn struct {
	k     *kcp.KCP
	space int    // the size of the buffer that is lent to it
	now   uint32 // the time since the beginning of the run, in milliseconds; 0 if round trips are not timed
	timed bool
}

// New returns one end of a connection in which the segments before o.First seem to have been sent
// and acknowledged.
func New(o Options) *Conn {
	k := kcp.NewKCP(o.Conv, nil)
	k.SetMtu(mtu)
	k.WndSize(o.Send, o.Receive)
	congestion := 1 // off
	if o.Congestion {
		congestion = 0
	}
	k.NoDelay(0, Interval, o.Resend, congestion)
	c := &Conn{k: k, timed: o.Timed}
	c.space = len(*at[[]byte](c, buffer))
	c.takeBack()
	*c.word(sndNxt), *c.word(sndUna), *c.word(rcvNxt) = o.First, o.First, o.First
	return c
}

// Send queues a message, and returns the library's result.
func (c *Conn) Send(message string) int { return c.k.Send([]byte(message)) }

// Peek returns the length of the next message to read, or a negative number if there is none.
func (c *Conn) Peek() int { return c.k.PeekSize() }

// Recv reads the next message into b.
func (c *Conn) Recv(b []byte) int { return c.k.Recv(b) }

// Input passes an incoming packet to the connection. It calls out with each packet that the
// connection sends.
func (c *Conn) Input(p Packet, out func(Packet)) int {
	b := []byte(p)
	c.hither(b)
	c.lend(out)
	n := c.k.Input(b, regular((*kcp.KCP).Input), false)
	c.takeBack()
	return n
}

// Update makes the connection do everything that is due. It calls out with each packet that the
// connection sends.
func (c *Conn) Update(out func(Packet)) {
	c.lend(out)
	c.k.Update()
	c.takeBack()
}

// Window sets the number of segments that may be under way.
func (c *Conn) Window(send int) { c.k.WndSize(send, 0) }

// Unsent returns the number of segments that wait to be sent or acknowledged.
func (c *Conn) Unsent() int { return c.k.WaitSnd() }

// UnderWay returns the number of segments from the first one that is not acknowledged to the last
// one that was sent.
func (c *Conn) UnderWay() int { return int(*c.word(sndNxt) - *c.word(sndUna)) }

// Acknowledged returns the number of the first segment that is not acknowledged.
func (c *Conn) Acknowledged() uint32 { return *c.word(sndUna) }

// Received returns the number of the first segment that has not arrived.
func (c *Conn) Received() uint32 { return *c.word(rcvNxt) }

// Queued returns the number of segments that wait to be read.
func (c *Conn) Queued() int { return c.count(rcvQueue) }

// Early returns the number of segments that have arrived and wait for an earlier one.
func (c *Conn) Early() int { return c.count(rcvBuf) }

// Acks returns the number of acknowledgements that wait to be sent.
func (c *Conn) Acks() int { return at[header](c, ackList).len }

// Closed reports whether the other end has announced that its window has no room.
func (c *Conn) Closed() bool { return *c.word(rmtWnd) == 0 }

// regular returns the argument with which the library's Input is called for a packet from the other
// end. It is true, or from v5.6.40 on the constant 0: the type of that parameter is T.
func regular[T any](func(*kcp.KCP, []byte, T, bool) int) (v T) {
	if b, ok := any(&v).(*bool); ok {
		*b = true
	}
	return v
}

func (c *Conn) word(offset uintptr) *uint32 { return at[uint32](c, offset) }

func at[T any](c *Conn, offset uintptr) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(c.k), offset))
}
