package program

import (
	"net"
	"os"
	"slices"
	"syscall"
	"time"

	"macemc/internal/bubble"
	"macemc/internal/happens"
)

// ListenPacket opens a port of the host for datagrams.
func (h *Host) ListenPacket(network, address string) (net.PacketConn, error) {
	at, err := h.resolve(network, address)
	if err != nil {
		return nil, err
	}
	n := h.world.net
	n.number(&at)
	if n.packet(h.name, at.port) != nil {
		return nil, h.opError("listen", network, at, os.NewSyscallError("bind", syscall.EADDRINUSE))
	}
	p := &packetConn{host: h, at: at, queue: make(chan datagram, 256), closed: make(chan struct{}), read: newDeadline()}
	n.packets.add(p)
	return p, nil
}

type datagram struct {
	from   addr
	data   []byte
	number int
}

type packetConn struct {
	host   *Host
	at     addr
	queue  chan datagram
	closed chan struct{}
	read   *deadline
}

func (p *packetConn) LocalAddr() net.Addr { return p.at }

func (p *packetConn) ReadFrom(b []byte) (int, net.Addr, error) {
	if p.read.passed() {
		return 0, nil, p.host.opError("read", p.at.network, p.at, os.ErrDeadlineExceeded)
	}
	select {
	case d := <-p.queue:
		return copy(b, d.data), d.from, nil
	case <-p.closed:
		return 0, nil, p.host.opError("read", p.at.network, p.at, net.ErrClosed)
	case <-p.read.over():
		return 0, nil, p.host.opError("read", p.at.network, p.at, os.ErrDeadlineExceeded)
	}
}

// WriteTo sends a datagram. It may be lost, arrive twice, and overtake others.
func (p *packetConn) WriteTo(b []byte, to net.Addr) (int, error) {
	select {
	case <-p.closed:
		return 0, p.host.opError("write", p.at.network, to, net.ErrClosed)
	default:
	}
	at, err := p.host.resolve(p.at.network, to.String())
	if err != nil {
		return 0, err
	}
	n := p.host.world.net
	number := n.world.sent(p.host, n.world.Host(at.host), "udp", n.world.summary(b))
	for i := range n.times() {
		if i > 0 {
			number = n.world.sent(p.host, n.world.Host(at.host), "udp", n.world.summary(b)+" (doubled)")
		}
		d := datagram{p.at, slices.Clone(b), number}
		n.later(n.arrival(time.Time{}), func() { n.arrived(p.host, at, d) })
	}
	return len(b), nil
}

// times returns how many times a datagram arrives: once, unless the search loses or
// duplicates it.
func (n *network) times() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.lossy > 0 {
		if fate := bubble.Ask(8); fate >= 6 {
			n.lossy--
			return (fate - 6) * 2
		}
	}
	return 1
}

// packet returns the socket for datagrams on a port of a host, or nil.
func (n *network) packet(host, port string) *packetConn {
	return n.packets.find(func(p *packetConn) bool { return p.host.name == host && p.at.port == port })
}

// arrived queues a datagram at its receiver, if there is one with room.
func (n *network) arrived(from *Host, at addr, d datagram) {
	if n.apart(from, from.world.Host(at.host)) {
		return
	}
	if p := n.packet(at.host, at.port); p != nil {
		select {
		case p.queue <- d:
			from.world.happened(Event{Kind: happens.Arrive, Host: at.host, Peer: from.name, Link: "udp", Number: d.number, Text: from.world.summary(d.data)})
		default:
		}
	}
}

func (p *packetConn) Close() error {
	if !p.host.world.net.packets.remove(p) {
		return p.host.opError("close", p.at.network, p.at, net.ErrClosed)
	}
	close(p.closed)
	return nil
}

func (p *packetConn) SetDeadline(t time.Time) error      { p.read.set(t); return nil }
func (p *packetConn) SetReadDeadline(t time.Time) error  { p.read.set(t); return nil }
func (p *packetConn) SetWriteDeadline(t time.Time) error { return nil }

// Addr returns the address, for WriteTo, of a port of a host: address is the host's name, a
// colon and the port.
func Addr(network, address string) net.Addr {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = address, "0"
	}
	return addr{network, host, port}
}
