package live

import (
	"encoding/binary"
	"errors"
	"net"
	"time"

	"github.com/cespare/xxhash/v2"

	"macemc/sim"
)

// A datagram is a magic of four bytes, what the nodes run (8), from and to (a byte
// each), the sender's life (8), the serial, the value.
const (
	datagramMagic = "mcl1"
	datagramHead  = len(datagramMagic) + 8 + 2 + 8
	datagramMost  = 60_000
	gramsMost     = 4096 // that came and wait
)

func (h *Host) fingerprint() uint64 { return xxhash.Sum64String(h.sys.Name + "\x00" + h.run) }

func (n *Node) sendUDP(p *peer, m sim.Message, serial uint64) {
	if n.cut&(1<<p.at) != 0 {
		return
	}
	if p.at == n.at {
		if n.grams.enter() {
			p.grams = append(p.grams, incoming{value: m, serial: serial, life: n.life, conn: 0, link: sim.LinkUDP})
		}
		return
	}
	if n.datagram == nil { // they go by the connection, and are lost where there is none
		frame, err := n.frame(frameDatagram, serial, m, nil)
		switch {
		case err != nil:
			n.cannot(m, err)
		case p.sess == nil:
			n.dial(p)
		default:
			p.sess.handLoss(frame)
		}
		return
	}
	buf := append(n.sendbuf[:0], datagramMagic...)
	buf = binary.BigEndian.AppendUint64(buf, n.host.mark)
	buf = append(buf, byte(n.at), byte(p.at))
	buf = binary.BigEndian.AppendUint64(buf, n.life)
	err := n.vetted(m)
	if err == nil {
		buf, err = n.codec.Append(binary.AppendUvarint(buf, serial), m)
	}
	if err != nil {
		n.cannot(m, err)
		return
	}
	n.sendbuf = buf
	if len(buf) > datagramMost {
		n.complain("a datagram is lost", "why", "it has more bytes than a datagram may have: send it by TCP", "to", n.name(p.at))
		return
	}
	if w := n.config.Weather; w != nil {
		for _, d := range w.datagram() {
			if d == 0 {
				n.datagramTo(p.at, buf)
				continue
			}
			copied := append([]byte(nil), buf...)
			time.AfterFunc(d, func() { n.datagramTo(p.at, copied) })
		}
		return
	}
	n.datagramTo(p.at, buf)
}

// datagramTo sends bytes. What the system does not take is lost, as datagrams are.
func (n *Node) datagramTo(to int, data []byte) {
	a := n.sources[to]
	if a == nil {
		return
	}
	if _, err := n.datagram.WriteToUDPAddrPort(data, a.AddrPort()); err != nil && !errors.Is(err, net.ErrClosed) {
		n.host.metrics.lost.Add(1)
	}
}

// handLoss is hand for what may be lost: where too much waits, it is.
func (s *session) handLoss(frame []byte) {
	s.mu.Lock()
	full := len(s.out) > 1<<20
	s.mu.Unlock()
	if full {
		s.n.host.metrics.lost.Add(1)
		return
	}
	s.hand(frame)
}

// hears takes datagrams until the node stops.
func (n *Node) hears() {
	defer n.host.goes.Done()
	buf := make([]byte, 1<<16)
	for {
		k, from, err := n.datagram.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // of a datagram that was sent: nobody listens there
		}
		a, why := n.datagramOf(buf[:k])
		if why == "" {
			if at := n.sources[a.peer]; at == nil || at.Port != int(from.Port()) || !at.IP.Equal(net.IP(from.Addr().AsSlice())) {
				why = "it says that it is " + n.name(a.peer) + ", which the book has elsewhere"
			}
		}
		if why != "" {
			n.host.metrics.refusals.Add(1)
			n.complain("a datagram is refused", "from", from.Addr().String(), "why", why)
			continue
		}
		if n.grams.enter() {
			n.post(a)
		} else {
			n.host.metrics.lost.Add(1)
		}
	}
}

// datagramOf reads a datagram, or says why it is none.
func (n *Node) datagramOf(data []byte) (a arrival, why string) {
	switch {
	case len(data) < datagramHead || string(data[:4]) != datagramMagic:
		return a, "it is none of a live node"
	case binary.BigEndian.Uint64(data[4:]) != n.host.mark:
		return a, "it is of nodes that run something else"
	}
	from, to := int(data[12]), int(data[13])
	if to != n.at || from >= len(n.peers) || from == n.at {
		return a, "it is from or to a node that cannot be"
	}
	serial, k := binary.Uvarint(data[datagramHead:])
	if k <= 0 {
		return a, "its serial is malformed"
	}
	m, err := n.codec.Decode(data[datagramHead+k:])
	if err != nil {
		return a, err.Error()
	}
	return arrival{kind: arriveMessage, link: sim.LinkUDP, peer: from, serial: serial, life: binary.BigEndian.Uint64(data[14:]), value: m}, ""
}
