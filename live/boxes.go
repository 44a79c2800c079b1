package live

import (
	"slices"

	"macemc/netsim"
	"macemc/sim"
)

// boxes are the messages of bags and sets between a node and a peer.
type boxes struct {
	out     []boxed         // to the peer
	given   int             // of them that this connection was given and that were not taken
	in      []incoming      // that came and were not delivered
	set     []incoming      // what is in the node's set of this peer's, in canonical order
	taken   map[uint64]bool // serials that came, of takenOf
	takenOf uint64          // a life of the peer
}

type boxed struct {
	outgoing
	link  sim.Link
	sum   string // of a set: what it is known by
	given bool   // to this connection
	took  uint64 // a life of the peer that has it; of a bag it is gone then
}

// settled is how many messages of sets the peer has, in the life that is known.
func (p *peer) settled() (k int) {
	for i := range p.boxes.out {
		if p.boxes.out[i].took != 0 && p.sess == nil {
			k++
		}
	}
	return k
}

func (l *links) sendBox(p *peer, link sim.Link, m sim.Message, serial uint64) {
	b := boxed{outgoing: outgoing{serial: serial, value: m}, link: link}
	if p.at == l.at {
		if link == sim.LinkSet {
			frame, err := l.packer.frame(frameSet, 0, m, nil)
			if err != nil {
				l.cannot(m, err)
				return
			}
			if b.sum = string(frame); slices.ContainsFunc(p.boxes.out, func(o boxed) bool { return o.sum == b.sum }) {
				return
			}
			p.boxes.out = append(p.boxes.out, b)
		}
		p.boxes.in = append(p.boxes.in, incoming{value: m, serial: serial, life: l.life, conn: 0, link: link})
		l.intoSet(p, incoming{value: m, serial: serial, life: l.life, conn: 0, link: link})
		return
	}
	var err error
	if b.frame, err = l.packer.frame(kindOf(link), serial, m, nil); err != nil {
		l.cannot(m, err)
		return
	}
	if link == sim.LinkSet {
		frame, _ := l.packer.frame(frameSet, 0, m, nil)
		if b.sum = string(frame); slices.ContainsFunc(p.boxes.out, func(o boxed) bool { return o.sum == b.sum }) {
			return
		}
	}
	b.value = nil
	p.boxes.out = append(p.boxes.out, b)
	l.flow(p)
}

func (l *links) flowBox(p *peer) {
	for i := range p.boxes.out {
		b := &p.boxes.out[i]
		if b.given || b.took == p.sess.other {
			continue
		}
		if p.boxes.given >= boxedMost {
			return
		}
		b.given = true
		p.boxes.given++
		p.sess.hand(b.frame)
	}
}

// tookBox is that the peer has a message of a bag or a set.
func (l *links) tookBox(p *peer, serial uint64) {
	for i := range p.boxes.out {
		if b := &p.boxes.out[i]; b.serial == serial && b.given {
			b.took, b.given = p.sess.other, false
			p.boxes.given--
			if b.link == sim.LinkBag {
				p.boxes.out = slices.Delete(p.boxes.out, i, i+1)
			}
			l.flowBox(p)
			return
		}
	}
}

// cameBox is a message of a bag or a set that came.
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
		l.complaints.complain("a peer breaks the protocol", "peer", l.name(p.at), "why", "it sends more messages of bags than may be under way")
		l.breaks(p, nil)
		return
	}
	p.boxes.taken[a.serial] = true
	p.boxes.in = append(p.boxes.in, incoming{value: a.value, serial: a.serial, life: a.life, conn: 0, link: a.link})
	l.intoSet(p, incoming{value: a.value, serial: a.serial, life: a.life, conn: 0, link: a.link})
}

// intoSet keeps a message of a set for nodes that gather.
func (l *links) intoSet(p *peer, i incoming) {
	if i.link != sim.LinkSet {
		return
	}
	sum, err := l.m.walker.Sum(i.value)
	if err != nil {
		return
	}
	i.sum = sum
	at, _ := slices.BinarySearchFunc(p.boxes.set, i, func(a, b incoming) int { return netsim.CompareSums(a.sum, b.sum) })
	p.boxes.set = slices.Insert(p.boxes.set, at, i)
}
