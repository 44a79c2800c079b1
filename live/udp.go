package live

import (
	"encoding/binary"
	"errors"
	"net"
	"time"

	"github.com/cespare/xxhash/v2"

	"macemc/sim"
)

// A datagram consists of four bytes of magic, the identity of the nodes' configuration (8 bytes), the sender
// and the receiver (one byte each), the sender's life (8 bytes), the serial, and the value.
const (
	datagramMagic = "mcl1"
	datagramHead  = len(datagramMagic) + 8 + 2 + 8
	datagramMost  = 60_000
	gramsMost     = 4096 // the largest number of datagrams that have arrived and were not delivered
)

// datagrams is a node's UDP socket, which a goroutine reads.
type datagrams struct {
	*place
	packer *packer
	works  func(now time.Time) // see Node.works
	conn   *net.UDPConn        // nil if datagrams travel on the connections
	meter  meter               // counts the datagrams that have arrived and were not delivered
	buf    []byte
}

func (h *Host) fingerprint() uint64 { return xxhash.Sum64String(h.sys.Name + "\x00" + h.run) }

// sendUDP sends a datagram to peer p, unless the weather loses it.
func (l *links) sendUDP(p *peer, m sim.Message, serial uint64) {
	var err error
	switch {
	case !l.barrier.reaches(p.at):
	case p.at == l.at:
		if l.datagrams.meter.enter() {
			p.arriveUDP(incoming{value: m, serial: serial, life: l.life, conn: 0, link: sim.LinkUDP})
		}
	case l.datagrams.conn != nil:
		err = l.datagrams.send(p.at, m, serial)
	default: // they go by the connection, and are lost where there is none
		var frame []byte
		if frame, err = l.packer.frame(frameDatagram, serial, m, nil); err == nil {
			if p.sess != nil {
				p.sess.handLoss(frame)
			} else {
				l.dial(p)
			}
		}
	}
	if err != nil {
		l.cannot(m, err)
	}
}

// send sends message m to a node as a datagram. It returns an error if the message cannot be encoded.
func (d *datagrams) send(to int, m sim.Message, serial uint64) error {
	buf := append(d.buf[:0], datagramMagic...)
	buf = binary.BigEndian.AppendUint64(buf, d.host.mark)
	buf = append(buf, byte(d.at), byte(to))
	buf = binary.BigEndian.AppendUint64(buf, d.life)
	err := d.packer.vetted(m)
	if err == nil {
		buf, err = d.packer.codec.Append(binary.AppendUvarint(buf, serial), m)
	}
	if err != nil {
		return err
	}
	d.buf = buf
	if len(buf) > datagramMost {
		d.complaints.complain("a datagram is lost", "to", d.name(to), "it has more bytes than a datagram may have: send it by TCP")
		return nil
	}
	w := d.config.Weather
	if w == nil {
		d.sendTo(to, buf)
		return nil
	}
	for _, wait := range w.datagram() {
		if wait == 0 {
			d.sendTo(to, buf)
			continue
		}
		copied := append([]byte(nil), buf...)
		time.AfterFunc(wait, func() { d.sendTo(to, copied) })
	}
	return nil
}

// sendTo sends data to a node. If the operating system refuses it, the datagram is lost, as datagrams may
// be.
func (d *datagrams) sendTo(to int, data []byte) {
	a := d.host.where.datagrams(to)
	if a == nil {
		return
	}
	if _, err := d.conn.WriteToUDPAddrPort(data, a.AddrPort()); err != nil && !errors.Is(err, net.ErrClosed) {
		d.host.metrics.lost.Inc()
		return
	}
	d.host.metrics.out[sim.LinkUDP].Add(float64(len(data)))
}

func (d *datagrams) close() {
	if d.conn != nil {
		_ = d.conn.Close()
	}
}

// hears receives datagrams until the node stops, on a goroutine of its own.
func (d *datagrams) hears() {
	defer d.host.goes.Done()
	if d.conn == nil {
		return
	}
	buf := make([]byte, 1<<16)
	for {
		k, from, err := d.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // of a datagram that was sent: nobody listens there
		}
		d.host.metrics.in[sim.LinkUDP].Add(float64(k))
		a, why := d.of(buf[:k])
		if why == "" {
			if at := d.host.where.datagrams(a.peer); at == nil || at.Port != int(from.Port()) || !at.IP.Equal(net.IP(from.Addr().AsSlice())) {
				why = "it says that it is " + d.name(a.peer) + ", which the book has elsewhere"
			}
		}
		if why != "" {
			d.host.metrics.strangers.Inc()
			d.complaints.complain("a datagram is refused", "from", from.Addr().String(), why)
			continue
		}
		if d.meter.enter() {
			d.inbox.put(a)
			d.works(a.at)
		} else {
			d.host.metrics.lost.Inc()
		}
	}
}

// of decodes a datagram. If it is not valid, why is the reason.
func (d *datagrams) of(data []byte) (a arrival, why string) {
	switch {
	case len(data) < datagramHead || string(data[:4]) != datagramMagic:
		return a, "it is none of a live node"
	case binary.BigEndian.Uint64(data[4:]) != d.host.mark:
		return a, "it is of nodes that run something else"
	}
	from, to := int(data[12]), int(data[13])
	if to != d.at || from >= d.host.params.Nodes || from == d.at {
		return a, "it is from or to a node that cannot be"
	}
	serial, k := binary.Uvarint(data[datagramHead:])
	if k <= 0 {
		return a, "its serial is malformed"
	}
	m, err := d.packer.codec.Decode(data[datagramHead+k:])
	if err != nil {
		return a, err.Error()
	}
	return arrival{kind: arriveMessage, link: sim.LinkUDP, peer: from, serial: serial, life: binary.BigEndian.Uint64(data[14:]), value: m, at: time.Now()}, ""
}
