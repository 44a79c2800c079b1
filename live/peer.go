package live

import (
	"time"

	"macemc/internal/canon"
	"macemc/sim"
)

// peer is what a node keeps about another one, or about itself. It belongs to the
// node's goroutine.
//
// Its connection follows the rules of netsim: it opens with the first message that is
// delivered, by one end or the other; when it breaks after that, each end hears of it
// once, ahead of all that comes later, and what was under way is lost; when it
// breaks before that nobody hears of it, and what was sent goes by the next one. That
// takes knowing what was delivered at the other end: acknowledgements say so, and where a
// break has cut one off, the next hello does.
type peer struct {
	at   int
	addr sim.Addr

	sess    *session
	seen    bool // it was ever there
	dialing bool
	redial  time.Time // not before

	out     []outgoing // sent by TCP, and not known to be delivered
	handed  int        // how many of them this connection was given
	acked   uint64     // messages that it has delivered of this connection
	last    uint64     // the serial of the last that is known to be delivered
	open    bool
	in      []incoming // came by TCP
	asked   bool       // the node waits for room
	free    [][]byte
	lost    uint64   // a connection that broke while it was not known to be open; 0: none
	lostOf  uint64   // and with which life of the peer
	before  uint64   // the connection before this one
	came    uint64   // and how many messages were delivered here by it
	broken  sim.Kind // an error to be heard of: KindError or KindRefused; 0: none
	brokenC uint64   // of which connection

	grams []incoming // datagrams that came

	boxes boxes
}

type outgoing struct {
	serial uint64
	frame  []byte
	value  any // to oneself
}

type incoming struct {
	value  any
	serial uint64
	life   uint64
	conn   uint64
	link   sim.Link
	sum    canon.Hash // of one in a set
}

func (i incoming) event(from sim.Addr) Event {
	return Event{Kind: sim.KindMessage, From: from, Link: i.link, Value: i.value, Serial: i.serial, Life: i.life, Conn: i.conn}
}

// freeMost is how many frames a peer keeps for later messages.
const freeMost = 32

// spare is the memory of a frame that is not used any more.
func (p *peer) spare() (frame []byte) {
	if last := len(p.free) - 1; last >= 0 {
		frame, p.free = p.free[last][:0], p.free[:last]
	}
	return frame
}
