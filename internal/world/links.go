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
