package live

import (
	"slices"
	"time"

	"macemc/internal/canon"
	"macemc/internal/record"
	"macemc/sim"
)

// peer is the state that a node keeps about another node, or about itself. It belongs to the node's
// goroutine.
//
// Its connection follows the rules of netsim. It opens with the first message that is delivered, at one end
// or the other. If it breaks after that, each end is informed once, ahead of everything later, and the
// messages under way are lost. If it breaks before that, no end is informed, and the messages are sent on the
// next connection. So a node must know which messages were delivered at the other end: it learns that from
// acknowledgements, or, if a break has cut an acknowledgement off, from the next hello.
type peer struct {
	at   int
	addr sim.Addr

	sess    *session
	seen    bool // a connection with it has ever existed
	dialing bool
	redial  time.Time // the earliest time for opening a connection

	out     []outgoing // messages sent by TCP and not known to be delivered
	handed  int        // the number of these that were given to this connection
	acked   uint64     // the number of messages of this connection that the peer has acknowledged
	last    uint64     // the serial of the last message that is known to be delivered
	open    bool
	in      []incoming // messages that came by TCP
	asked   bool       // the node waits for a ClearToSend
	free    [][]byte
	lost    uint64   // a connection that broke while it was not known to be open; 0 means none
	lostOf  uint64   // the life of the peer at its other end
	before  uint64   // the previous connection
	came    uint64   // the number of its messages that were delivered at this node
	broken  sim.Kind // an error of which the node must be informed: KindError or KindRefused; 0 means none
	brokenC uint64   // the connection of that error

	grams []incoming // datagrams that came

	boxes boxes
}

type outgoing struct {
	serial uint64
	frame  []byte
}

type incoming struct {
	value  any
	serial uint64
	life   uint64
	conn   uint64
	link   sim.Link
	sum    canon.Hash // the identity, for a message in a set
	at     time.Time  // when it came from elsewhere
}

func (i incoming) event(from sim.Addr) event {
	return event{record.Event{Kind: sim.KindMessage, From: from, Link: i.link, Value: i.value, Serial: i.serial, Life: i.life, Conn: i.conn}, i.at}
}

// freeMost is the largest number of unused frames that a peer keeps for later messages.
const freeMost = 32

// spare returns the memory of an unused frame, or nil if there is none.
func (p *peer) spare() (frame []byte) {
	if last := len(p.free) - 1; last >= 0 {
		frame, p.free = p.free[last][:0], p.free[:last]
	}
	return frame
}

// queue adds a TCP message to those that are not known to be delivered.
func (p *peer) queue(o outgoing) { p.out = append(p.out, o) }

// arriveTCP adds a TCP message to those that are to be delivered to the node.
func (p *peer) arriveTCP(i incoming) { p.in = append(p.in, i) }

// arriveUDP adds a datagram to those that are to be delivered to the node.
func (p *peer) arriveUDP(i incoming) { p.grams = append(p.grams, i) }

// takeTCP removes and returns the first of the TCP messages that are to be delivered. own is set if the node
// is its own peer, and then the message is no longer on the way either.
func (p *peer) takeTCP(own bool) incoming {
	i := p.in[0]
	p.in = slices.Delete(p.in, 0, 1)
	if own {
		p.out = slices.Delete(p.out, 0, 1)
	}
	return i
}

// takeUDP removes and returns the first of the datagrams that are to be delivered.
func (p *peer) takeUDP() incoming {
	i := p.grams[0]
	p.grams = slices.Delete(p.grams, 0, 1)
	return i
}

// hand gives the queued messages to the connection.
func (p *peer) hand() {
	for ; p.handed < len(p.out); p.handed++ {
		p.sess.hand(p.out[p.handed].frame)
	}
}

// confirm acknowledges to the peer that one more of its messages was delivered.
func (p *peer) confirm() {
	p.open = true
	p.sess.delivered.Add(1)
	p.sess.due = true
}

// settle removes from the queue the messages that the peer has acknowledged. It reports false if the peer has
// acknowledged more messages than it was sent.
func (p *peer) settle() bool {
	d := p.sess.acked.Load() - p.acked
	if d == 0 {
		return true
	}
	if d > uint64(p.handed) {
		p.sess.acked.Store(p.acked)
		return false
	}
	p.acked += d
	p.last = p.out[d-1].serial
	for i := range p.out[:d] {
		if f := p.out[i].frame; len(p.free) < freeMost && cap(f) <= 64<<10 {
			p.free = append(p.free, f)
		}
	}
	kept := copy(p.out, p.out[d:])
	clear(p.out[kept:])
	p.out, p.handed = p.out[:kept], p.handed-int(d)
	p.open = true
	return true
}

// ask records that the node waits for a ClearToSend.
func (p *peer) ask() { p.asked = true }

// hearClear reports whether a ClearToSend is due, that is whether the node waits for it and there are fewer
// messages than buffer in the queue. It reports true once.
func (p *peer) hearClear(buffer int) bool {
	clear := p.asked && len(p.out) < buffer
	p.asked = p.asked && !clear
	return clear
}

// hearBroken returns the error event of a broken connection, and forgets it. The queued messages are lost.
func (p *peer) hearBroken() event {
	e := event{Event: record.Event{Kind: p.broken, From: p.addr, Link: sim.LinkTCP, Conn: p.brokenC}}
	p.broken, p.out, p.handed = 0, p.out[:0], 0
	return e
}

// dial records that a connection is being opened; dialed records that this has ended.
func (p *peer) dial()   { p.dialing = true }
func (p *peer) dialed() { p.dialing = false }

// wait prevents that a connection to the peer is opened before the time d after now.
func (p *peer) wait(now time.Time, d time.Duration) { p.redial = now.Add(d) }

// close records that nothing was delivered on the connection as far as this node knows, so that the
// connection does not count as open.
func (p *peer) close() { p.open = false }

// refuse makes the node get the error event that the peer has refused the queued messages. It does
// nothing if no messages are queued.
func (p *peer) refuse() {
	if len(p.out) > 0 && p.broken == 0 {
		p.broken, p.brokenC, p.lost = sim.KindRefused, p.lost, 0
	}
}

// forget drops the queued messages, and the events for which the node waits. own is set if the node is its
// own peer.
func (p *peer) forget(own bool) {
	p.out, p.handed = p.out[:0], 0
	p.asked, p.broken, p.lost = false, 0, 0
	if own {
		p.in = p.in[:0]
	}
}

// connect begins to use session s, a new connection whose other end has sent hello h.
func (p *peer) connect(s *session, h *hello) {
	p.sess, p.seen, p.dialing = s, true, false
	p.handed, p.acked, p.open, p.in = 0, 0, false, p.in[:0]
	p.boxes.connect(h)
	if p.lost != 0 && len(p.out) > 0 && p.broken == 0 { // it was not known which messages were delivered
		switch {
		case h.life != p.lostOf:
			p.broken, p.brokenC = sim.KindRefused, p.lost
		case h.last == p.lost && h.came > 0:
			p.broken, p.brokenC = sim.KindError, p.lost
		}
	}
	p.lost = 0
}

// disconnect records that the connection has ended. open says that the connection was open at the peer's
// end, as the peer has reported when it reset the connection. If the connection was open at one of its
// ends, the node gets an error event.
func (p *peer) disconnect(open bool) {
	s := p.sess
	p.sess, p.before, p.came = nil, s.id, s.delivered.Load()
	p.in, p.handed = p.in[:0], 0
	p.boxes.disconnect()
	switch {
	case p.broken != 0:
	case p.open || open:
		p.broken, p.brokenC = sim.KindError, s.id
	case len(p.out) > 0:
		p.lost, p.lostOf = s.id, s.other
	}
	p.open = false
}
