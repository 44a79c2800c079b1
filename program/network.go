package program

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"macemc/internal/bubble"
	"macemc/internal/happens"
)

// A network connects the hosts.
type network struct {
	world     *World
	mu        lock
	listeners sockets[*listener]
	conns     []*conn
	packets   sockets[*packetConn]
	lines     []*stream      // the connections for mail
	parted    map[string]int // by host: its side of the partition; nil if there is no partition
	healed    chan struct{}  // closed when the partition ends
	lossy     int            // the number of datagrams that may still be lost or duplicated
	port      int            // the number of the last port that was assigned
}

// An addr is an address in the world: a host's name and a port.
type addr struct{ network, host, port string }

func (a addr) Network() string { return a.network }
func (a addr) String() string  { return net.JoinHostPort(a.host, a.port) }

// resolve parses an address. An empty host, or a loopback address, is the caller's own
// host.
func (h *Host) resolve(network, address string) (addr, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return addr{}, err
	}
	switch host {
	case "", "localhost", "0.0.0.0", "127.0.0.1", "::":
		host = h.name
	}
	return addr{network, host, port}, nil
}

func (h *Host) opError(op, network string, to net.Addr, err error) error {
	return &net.OpError{Op: op, Net: network, Addr: to, Err: err}
}

// delay draws how long a segment or datagram is under way.
func (n *network) delay() time.Duration {
	l := n.world.latency
	return l.least + (l.most-l.least)*time.Duration(bubble.Ask(16))/15
}

// arrival returns how long a segment or datagram that is sent now is under way. It arrives
// later than after, and at an instant at which nothing else arrives.
func (n *network) arrival(after time.Time) time.Duration {
	w := n.world
	at := time.Now().Add(n.delay())
	if at.Before(after) {
		at = after
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !at.After(w.last) && w.last.Sub(at) < time.Millisecond {
		at = w.last.Add(1)
	}
	if at.After(w.last) {
		w.last = at
	}
	return time.Until(at)
}

// later calls do after d, as an action of the network. It does so even if the sender's life
// has ended.
func (n *network) later(d time.Duration, do func()) {
	before := bubble.SetLife(0)
	defer bubble.SetLife(before)
	time.AfterFunc(d, do)
}

// apart reports whether a partition separates two hosts.
func (n *network) apart(a, b *Host) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.parted != nil && a != b && n.parted[a.name] != n.parted[b.name]
}

// Partition cuts the network into sides. A host that is not listed is on the first side.
// Segments between the sides wait until Heal; datagrams are lost.
func (w *World) Partition(sides ...[]string) {
	w.Heal()
	w.net.part(sides)
	w.note(fmt.Sprintf("partition %v", sides))
	w.happened(Event{Kind: happens.Partition, Text: strings.Join(slices.Concat(sides[min(1, len(sides)):]...), " ")})
}

// Heal ends the partition.
func (w *World) Heal() {
	if w.net.heal() {
		w.note("the partition is healed")
		w.happened(Event{Kind: happens.Heal})
	}
}

// part cuts the network into sides.
func (n *network) part(sides [][]string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.parted, n.healed = map[string]int{}, make(chan struct{})
	for i, side := range sides {
		for _, name := range side {
			n.parted[name] = i
		}
	}
}

// heal ends the partition, and reports whether there was one.
func (n *network) heal() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.parted == nil {
		return false
	}
	n.parted = nil
	close(n.healed)
	return true
}

// lose sets how many datagrams may be lost or duplicated from now on.
func (n *network) lose(datagrams int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lossy = datagrams
}

// mended returns a channel that is closed when the partition ends.
func (n *network) mended() chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.healed
}

// Loss lets the search lose or duplicate this number of datagrams.
func (w *World) Loss(datagrams int) { w.net.lose(datagrams) }

// Reset breaks the connections between two hosts: reads fail on both sides.
func (w *World) Reset(a, b string) {
	w.note(fmt.Sprintf("connections of %s and %s are reset", a, b))
	w.happened(Event{Kind: happens.Reset, Host: a, Peer: b})
	w.net.breaks(w.Host(a), w.Host(b))
	for _, c := range w.net.open() {
		if c.host.name == a && c.peer.host.name == b {
			c.in.end(syscall.ECONNRESET)
			c.peer.in.end(syscall.ECONNRESET)
			c.out.end(syscall.ECONNRESET)
			c.peer.out.end(syscall.ECONNRESET)
		}
	}
}

// drop closes all sockets and connections of host h, whose life has ended. Peers learn of
// it after the usual latency.
func (n *network) drop(h *Host) {
	n.breaks(h, nil)
	for _, c := range n.open() {
		if c.host == h {
			c.out.finish(syscall.ECONNRESET, "reset")
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners.open = slices.DeleteFunc(n.listeners.open, func(l *listener) bool { return l.host == h })
	n.packets.open = slices.DeleteFunc(n.packets.open, func(p *packetConn) bool { return p.host == h })
	n.conns = slices.DeleteFunc(n.conns, func(c *conn) bool { return c.host == h })
}

// open returns the ends of all connections.
func (n *network) open() []*conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.conns)
}

// Listen listens on a port of the host.
func (h *Host) Listen(network, address string) (net.Listener, error) {
	at, err := h.resolve(network, address)
	if err != nil {
		return nil, err
	}
	n := h.world.net
	n.number(&at)
	if n.listener(h, at.port) != nil {
		return nil, h.opError("listen", network, at, os.NewSyscallError("bind", syscall.EADDRINUSE))
	}
	l := &listener{host: h, at: at, queue: make(chan *conn, 128), closed: make(chan struct{})}
	n.listeners.add(l)
	return l, nil
}

// number sets the port of an address to an unused one if the port is 0.
func (n *network) number(at *addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.port == "0" {
		n.port++
		*at = addr{at.network, at.host, strconv.Itoa(30000 + n.port)}
	}
}

// sockets are the open sockets of one kind.
type sockets[S comparable] struct {
	mu   *lock // the lock of the network
	open []S
}

// find returns the first socket for which holds returns true, or the zero value.
func (s *sockets[S]) find(holds func(S) bool) (found S) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.open, holds); i >= 0 {
		found = s.open[i]
	}
	return found
}

func (s *sockets[S]) add(one S) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, one)
}

// remove removes a socket, and reports whether it was open.
func (s *sockets[S]) remove(one S) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.open, one)
	if i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
	}
	return i >= 0
}

// listener returns the listener on a port of a host, or nil.
func (n *network) listener(h *Host, port string) *listener {
	return n.listeners.find(func(l *listener) bool { return l.host == h && l.at.port == port })
}

type listener struct {
	host   *Host
	at     addr
	queue  chan *conn
	closed chan struct{}
}

func (l *listener) Addr() net.Addr { return l.at }

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.queue:
		return c, nil
	case <-l.closed:
		return nil, l.host.opError("accept", l.at.network, l.at, net.ErrClosed)
	}
}

func (l *listener) Close() error {
	if !l.host.world.net.listeners.remove(l) {
		return l.host.opError("close", l.at.network, l.at, net.ErrClosed)
	}
	close(l.closed)
	return nil
}

// Dial connects to a port of a host.
func (h *Host) Dial(network, address string) (net.Conn, error) {
	return h.DialContext(context.Background(), network, address)
}

// dialMost is the time for which Dial tries to connect.
const dialMost = 2 * time.Minute

// DialContext connects to a port of a host, as Dial does, and gives up when the context is
// done. It fits http.Transport and grpc.WithContextDialer.
func (h *Host) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	to, err := h.resolve(network, address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialMost)
	defer cancel()
	n, peer := h.world.net, h.world.Host(to.host)
	for {
		select {
		case <-time.After(n.arrival(time.Time{})):
		case <-ctx.Done():
			return nil, h.opError("dial", network, to, ctx.Err())
		}
		if !n.apart(h, peer) {
			break
		}
		select {
		case <-n.mended():
		case <-ctx.Done():
			return nil, h.opError("dial", network, to, ctx.Err())
		}
	}
	l := n.listener(peer, to.port)
	if l == nil {
		return nil, h.opError("dial", network, to, os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
	return n.connect(h, l, network)
}

// connect makes the two ends of a connection.
func (n *network) connect(h *Host, l *listener, network string) (net.Conn, error) {
	from := addr{network, h.name, "0"}
	n.number(&from)
	there, back := newStream(n, h, l.host), newStream(n, l.host, h)
	near := &conn{host: h, local: from, remote: l.at, in: back, out: there, read: newDeadline(), write: newDeadline()}
	far := &conn{host: l.host, local: l.at, remote: from, in: there, out: back, read: newDeadline(), write: newDeadline()}
	near.meet(far)
	far.meet(near)
	select {
	case l.queue <- far:
	default:
		return nil, h.opError("dial", network, l.at, os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
	n.connected(near, far)
	number := n.world.sent(h, l.host, "tcp", "connect to :"+l.at.port)
	n.world.happened(Event{Kind: happens.Arrive, Host: l.host.name, Peer: h.name, Link: "tcp", Number: number, Text: "connect to :" + l.at.port})
	return near, nil
}

func (n *network) connected(ends ...*conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, ends...)
}
