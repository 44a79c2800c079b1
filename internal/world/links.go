package world

import (
	"cmp"

	"macemc/netsim"
	"macemc/sim"
)

// Links are what is under way between the nodes, and what of it may be delivered.
// Who listens, and what a partition cuts off, the environment and the nodes say:
// Events.refresh writes it down here.
type Links struct {
	sums *sums
	n    int
	net  sim.Network
	slow func(from, to sim.Addr) bool // links on which a message comes last; nil: none
	tcp  *netsim.TCP
	udp  *netsim.FIFO
	set  *netsim.Set

	// What its receiver accepts, where somebody could decline; else all is.
	acceptedTCP netsim.Bits // channels whose head
	acceptedUDP netsim.Bits
	members     int    // of sets and bags
	guarded     bool   // some node has Offers or Accepts
	barred      bool   // some node does not listen, or there is a partition
	dirty       uint64 // nodes whose offers and acceptance are out of date, where that matters

	disturbed bool                  // a connection was reset or broke
	used      [sim.LinkBag + 1]bool // by which something was sent, in any run
}

func newLinks(n int, net sim.Network, sums *sums) Links {
	net.TCPBuffer = cmp.Or(net.TCPBuffer, netsim.BufferDefault)
	net.UDPCapacity = cmp.Or(net.UDPCapacity, udpCapacityDefault)
	return Links{
		sums: sums, n: n, net: net,
		tcp: netsim.NewTCP(n, net.TCPBuffer, net.Flaws...), udp: netsim.NewFIFO(n), set: netsim.NewSet(n),
		acceptedTCP: netsim.NewBits(n * n), acceptedUDP: netsim.NewBits(n * n),
	}
}

// usedBy reports whether anything was sent by the link with a name, in any run.
func (l *Links) usedBy(name string) bool {
	for link, used := range l.used {
		if used && sim.Link(link).String() == name {
			return true
		}
	}
	return false
}

// over is n with what o sets.
func over(n, o sim.Network) sim.Network {
	if o.TCPBuffer > 0 {
		n.TCPBuffer = o.TCPBuffer
	}
	if o.UDPCapacity > 0 {
		n.UDPCapacity = o.UDPCapacity
	}
	if o.Slow != "" {
		n.Slow = o.Slow
	}
	return n
}

const udpCapacityDefault = 4

// start empties all links.
func (l *Links) start() {
	l.tcp.Reset()
	l.udp.Reset()
	l.set.Reset()
	l.acceptedTCP.Clear()
	l.acceptedUDP.Clear()
	l.members, l.dirty, l.guarded, l.barred, l.disturbed = 0, 0, false, false, false
}

// crash resets all connections of a node.
func (l *Links) crash(i int) {
	l.tcp.Crash(i)
	l.disturbed = true
	for j := range l.n {
		l.bothEnds(l.tcp.Channel(i, j))
	}
}

// bothEnds notes that a connection has changed, in both directions.
func (l *Links) bothEnds(channel int) {
	from, to := l.tcp.Ends(channel)
	l.sums.tcp(channel)
	l.sums.tcp(l.tcp.Channel(to, from))
	l.dirty |= 1<<from | 1<<to
}

// InFlight is the number of messages under way, as a View counts them.
func (l *Links) InFlight() int { return l.tcp.Len() + l.udp.Len() + l.set.Bagged() }

// Capacities are how many messages a connection and a channel of datagrams hold.
func (l *Links) Capacities() (tcp, udp int) { return l.net.TCPBuffer, l.net.UDPCapacity }

// Flawed reports whether known bugs of the simulated links are switched on.
func (l *Links) Flawed() bool { return len(l.net.Flaws) > 0 }

// openTCP and openUDP are the channels whose head may be delivered.
func (l *Links) openTCP() *netsim.Bits {
	if l.guarded || l.barred {
		return &l.acceptedTCP
	}
	return l.tcp.Messages()
}

func (l *Links) openUDP() *netsim.Bits {
	if l.guarded || l.barred {
		return &l.acceptedUDP
	}
	return l.udp.Ready()
}

// openSet is the number of messages of sets that may be delivered.
func (l *Links) openSet() int {
	if l.guarded || l.barred {
		return l.members
	}
	return l.set.Len()
}

// concerned reports whether a message is under way to a node or from it.
func (l *Links) concerned(i int) bool {
	for j := range l.n {
		for _, m := range l.set.For(j) {
			if m.Count > 0 && (j == i || m.From == i) {
				return true
			}
		}
		for _, c := range [2]int{l.tcp.Channel(i, j), l.tcp.Channel(j, i)} {
			if len(l.tcp.Packets(c)) > 0 || l.udp.Ready().Has(c) {
				return true
			}
		}
	}
	return false
}

// late reports whether an event is the delivery of a message on a slow link.
func (l *Links) late(h *happening) bool {
	return h.Kind == sim.KindMessage && l.slow(h.From, h.Node)
}

func (l *Links) all() uint64 { return 1<<(l.n-1)<<1 - 1 }
