package live

import (
	"slices"

	"macemc/sim"
)

// boxes has the messages of bags and sets between a node and one peer.
type boxes struct {
	out     []boxed         // messages to the peer
	given   int             // the number of these that this connection has carried and the peer has not confirmed
	in      []incoming      // messages that came and were not delivered yet
	set     []incoming      // the messages of this peer in the node's set, in canonical order
	taken   map[uint64]bool // serials that have arrived from the life takenOf of the peer
	takenOf uint64          // a life of the peer
}

type boxed struct {
	outgoing
	link  sim.Link
	sum   string // for a set, the identity of the message
	given bool   // this connection has carried it
	took  uint64 // the life of the peer that has received it, or 0; a message of a bag is then removed
}

// settled counts the messages of sets in the queue to the peer that the peer's present life has already
// received. No connection need be opened for these. It returns 0 while there is a connection.
func (p *peer) settled() (k int) {
	for i := range p.boxes.out {
		if p.boxes.out[i].took != 0 && p.sess == nil {
			k++
		}
	}
	return k
}

func (l *links) sendBox(p *peer, link sim.Link, m sim.Message, serial uint64) {
	b := boxed{outgoing: outgoing{serial: serial}, link: link}
	if p.at == l.at {
		if link == sim.LinkSet {
			frame, err := l.packer.frame(frameSet, 0, m, nil)
			if err != nil {
				l.cannot(m, err)
				return
			}
			if b.sum = string(frame); !p.boxes.queue(b) {
				return
			}
		}
		i := incoming{value: m, serial: serial, life: l.life, conn: 0, link: link}
		p.boxes.arrive(i)
		l.intoSet(p, i)
		return
	}
	var err error
	if b.frame, err = l.packer.frame(kindOf(link), serial, m, nil); err != nil {
		l.cannot(m, err)
		return
	}
	if link == sim.LinkSet {
		frame, _ := l.packer.frame(frameSet, 0, m, nil)
		b.sum = string(frame)
	}
	if p.boxes.queue(b) {
		l.flow(p)
	}
}

// tookBox handles a confirmation by the peer that it has received the message of a bag or a set with this
// serial.
func (l *links) tookBox(p *peer, serial uint64) {
	if p.boxes.took(serial, p.sess.other) {
		p.boxes.hand(p.sess)
	}
}

// cameBox handles a message of a bag or a set that has arrived from a peer.
func (l *links) cameBox(p *peer, a *arrival) {
	if a.link == sim.LinkSet {
		p.sess.hand(numberFrame(nil, frameBoxed, a.serial))
	}
	if p.boxes.taken[a.serial] {
		if a.link == sim.LinkBag && !slices.ContainsFunc(p.boxes.in, func(i incoming) bool { return i.serial == a.serial && i.life == a.life }) {
			p.sess.hand(numberFrame(nil, frameBoxed, a.serial)) // it was delivered, and that got lost
		}
		return
	}
	if len(p.boxes.in) >= 2*boxedMost {
		l.complaints.complain("a peer breaks the protocol", "peer", l.name(p.at), "it sends more messages of bags than may be under way")
		l.breaks(p, nil)
		return
	}
	i := incoming{value: a.value, serial: a.serial, life: a.life, conn: 0, link: a.link, at: a.at}
	p.boxes.receive(i)
	l.intoSet(p, i)
}

// intoSet adds a message to the node's set, if it was sent as a message of a set. Nodes that handle quorums
// choose messages from the set.
func (l *links) intoSet(p *peer, i incoming) {
	if i.link != sim.LinkSet {
		return
	}
	sum, err := l.m.walker.Sum(i.value)
	if err != nil {
		return
	}
	i.sum = sum
	p.boxes.keep(i)
}

// queue adds a message to those for the peer. It reports false for a message of a set that the peer has, or
// that is queued for it.
func (x *boxes) queue(b boxed) bool {
	if b.sum != "" && slices.ContainsFunc(x.out, func(o boxed) bool { return o.sum == b.sum }) {
		return false
	}
	x.out = append(x.out, b)
	return true
}

// arrive adds a message to those that are to be delivered to the node.
func (x *boxes) arrive(i incoming) { x.in = append(x.in, i) }

// receive adds a message from the peer to those that are to be delivered, and keeps its serial, so that the
// message is not received a second time.
func (x *boxes) receive(i incoming) {
	x.taken[i.serial] = true
	x.arrive(i)
}

// deliver removes the j-th message from the list of those that are to be delivered to the node,
// which is about to handle it.
func (x *boxes) deliver(j int) { x.in = slices.Delete(x.in, j, j+1) }

// keep adds a message to the node's set, in canonical order.
func (x *boxes) keep(i incoming) {
	at, _ := slices.BinarySearchFunc(x.set, i, func(a, b incoming) int { return a.sum.Compare(b.sum) })
	x.set = slices.Insert(x.set, at, i)
}

// lowest returns the lowest serial that is queued for the peer, or next if there is none.
func (x *boxes) lowest(next uint64) uint64 {
	for i := range x.out {
		next = min(next, x.out[i].serial)
	}
	return next
}

// hand gives queued messages to connection s, until the limit of messages under way is reached.
func (x *boxes) hand(s *session) {
	for i := range x.out {
		b := &x.out[i]
		if b.given || b.took == s.other {
			continue
		}
		if x.given >= boxedMost {
			return
		}
		x.given++
		b.give(s)
	}
}

func (b *boxed) give(s *session) {
	b.given = true
	s.hand(b.frame)
}

// back makes a message wait again after the connection on which it was written has ended: it may now be
// written on the next one.
func (b *boxed) back() { b.given = false }

// settle records that the peer has received the message in this one of its lives.
func (b *boxed) settle(life uint64) { b.took, b.given = life, false }

// took records that the peer, in this life, has received the message with this serial. It reports
// whether the message was written on the present connection; if not, it records nothing.
func (x *boxes) took(serial, life uint64) bool {
	for i := range x.out {
		b := &x.out[i]
		if b.serial != serial || !b.given {
			continue
		}
		b.settle(life)
		x.given--
		if b.link == sim.LinkBag {
			x.out = slices.Delete(x.out, i, i+1)
		}
		return true
	}
	return false
}

// connect begins to use a new connection, whose other end has sent hello h. It forgets the messages of an
// earlier life of the peer, and the serials of messages that the peer will not send again.
func (x *boxes) connect(h *hello) {
	x.disconnect()
	if x.takenOf != h.life {
		x.taken, x.takenOf = map[uint64]bool{}, h.life
	}
	for serial := range x.taken {
		if serial < h.low {
			delete(x.taken, serial)
		}
	}
}

// disconnect records that the connection has ended, so no message is on the way to the peer any more.
func (x *boxes) disconnect() {
	x.given = 0
	for i := range x.out {
		x.out[i].back()
	}
}
