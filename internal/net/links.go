package net

import (
	"cmp"
	"fmt"

	"macemc/internal/state"
	"macemc/netsim"
	"macemc/sim"
)

// Links holds the messages under way between the nodes, and knows which of them may be delivered. That also
// depends on which nodes listen, what they accept and what a partition blocks, which the callers of Accept,
// AcceptSet and Bar record here.
type Links struct {
	sums *state.Sums
	n    int
	net  sim.Network
	slow func(from, to sim.Addr) bool // reports whether a message on the link waits until nothing else can happen; nil means that none does
	tcp  *netsim.TCP
	udp  *netsim.FIFO
	set  *netsim.Set

	// acceptedTCP and acceptedUDP have the channels whose next message is accepted by its
	// receiver: all channels, unless a node can decline messages.
	acceptedTCP netsim.Bits // channels of connections
	acceptedUDP netsim.Bits
	members     int           // the number of members of sets and bags that their nodes accept
	guarded     bool          // some node has Offers or Accepts
	barred      bool          // some node does not listen, or there is a partition
	dirty       state.NodeSet // the nodes whose offered actions and accepted messages are out of date, if some node has Offers or Accepts

	last      int32                 // the number of the message that was sent last
	disturbed bool                  // a connection was reset or broke
	used      [sim.LinkBag + 1]bool // the links by which anything was sent, in any run
}

// NewLinks returns the links between n nodes. They mark the parts of the state that they change in sums.
func NewLinks(n int, net sim.Network, sums *state.Sums) (l Links, err error) {
	net.TCPBuffer = cmp.Or(net.TCPBuffer, netsim.BufferDefault)
	net.UDPCapacity = cmp.Or(net.UDPCapacity, UDPCapacityDefault)
	l = Links{
		sums: sums, n: n, net: net,
		tcp: netsim.NewTCP(n, net.TCPBuffer, net.Flaws...), udp: netsim.NewFIFO(n), set: netsim.NewSet(n),
		acceptedTCP: netsim.NewBits(n * n), acceptedUDP: netsim.NewBits(n * n), dirty: state.NewNodeSet(n),
	}
	l.slow, err = net.SlowLinks(n)
	return l, err
}

// UsedBy reports whether any run has sent a message by the link with this name, such as "tcp".
func (l *Links) UsedBy(name string) bool {
	for link, used := range l.used {
		if used && sim.Link(link).String() == name {
			return true
		}
	}
	return false
}

// UDPCapacityDefault is the default number of datagrams that a channel can hold.
const UDPCapacityDefault = 4

// Start empties all links.
func (l *Links) Start() {
	l.tcp.Reset()
	l.udp.Reset()
	l.set.Reset()
	l.acceptedTCP.Clear()
	l.acceptedUDP.Clear()
	l.dirty.Clear()
	l.members, l.guarded, l.barred, l.disturbed, l.last = 0, false, false, false, 0
}

// Sent returns the number of the message that was sent last; messages are counted from 1 in
// each run. The method Resume continues the count after a number.
func (l *Links) Sent() int32       { return l.last }
func (l *Links) Resume(last int32) { l.last = last }

// Soil marks the offered actions and accepted messages of node i as out of date. The method
// SoilAll does so for all nodes.
func (l *Links) Soil(i int) { l.dirty.Add(i) }
func (l *Links) SoilAll()   { l.dirty.Fill(l.n) }

// Fresh records that the offered actions and accepted messages of all nodes are up to date.
func (l *Links) Fresh() { l.dirty.Clear() }

// Guard records, if has is true, that some node has the method Offers or Accepts.
func (l *Links) Guard(has bool) { l.guarded = l.guarded || has }

// Bar records whether deliveries may be barred now: because some node does not listen, or because
// of a partition.
func (l *Links) Bar(barred bool) {
	if barred != l.barred {
		l.barred = barred
		l.SoilAll()
	}
}

// Member adds n to the number of messages in sets and bags that their receivers accept now.
func (l *Links) Member(n int) { l.members += n }

// disturb records that a connection was reset or broke.
func (l *Links) disturb() { l.disturbed = true }

// Send numbers a message and puts it on its link. It returns the number, or 0 if there was
// no room. If the set has an equal message already, it returns the number of that message.
func (l *Links) Send(link sim.Link, from, to int, p netsim.Packet) (number int32) {
	l.used[link] = true
	l.last++
	p.Number = l.last
	switch link {
	case sim.LinkTCP:
		c := l.tcp.Channel(from, to)
		l.tcp.Push(c, p)
		l.sums.TouchTCP(c)
		if l.sums.Touched().On() {
			l.sent(link, l.sums.TCP(c), false)
		}
	case sim.LinkUDP:
		c := l.udp.Channel(from, to)
		full := len(l.udp.Packets(c)) >= l.net.UDPCapacity
		if l.sent(link, l.sums.UDP(c), full); full {
			return 0
		}
		l.udp.Push(c, p)
		l.sums.TouchUDP(c)
	case sim.LinkSet:
		is, fresh := l.set.Add(from, to, p)
		if p.Number = is.Number; fresh {
			l.sums.TouchSet(to)
		}
		if l.sums.Touched().On() {
			l.sent(link, l.sums.Set(to), false)
		}
	case sim.LinkBag:
		l.set.Put(from, to, p)
		l.sums.TouchSet(to)
		if l.sums.Touched().On() {
			l.sent(link, l.sums.Set(to), false)
		}
	default:
		panic(fmt.Sprintf("macemc bug: net: cannot send by %s", link))
	}
	l.Soil(to)
	return p.Number
}

// sent records that the present step has sent a message. place is the index of the part of the
// state, a channel or a set, to which the message was added; lost says that there was no room for
// it.
func (l *Links) sent(link sim.Link, place int, lost bool) {
	why := state.Sent
	if link == sim.LinkUDP {
		why |= state.Room
	}
	l.sums.Touched().Send(state.Send{Link: uint8(link), Place: int32(place), Lost: lost}, why)
}

// takes records that the present step has removed a message from a part of the state, a channel
// or a bag. place is the index of the part.
func (l *Links) takes(place int) {
	l.sums.Touch(place)
	l.sums.Touched().Add(place, state.Took)
}

// Reset resets the connection between two nodes at the request of the first.
func (l *Links) Reset(from, to int) {
	l.tcp.Close(from, to)
	l.disturb()
	l.bothEnds(l.tcp.Channel(from, to))
}

// Crash resets all connections of a node.
func (l *Links) Crash(i int) {
	l.tcp.Crash(i)
	l.disturb()
	for j := range l.n {
		l.bothEnds(l.tcp.Channel(i, j))
	}
}

// bothEnds records that a connection has changed, in both directions.
func (l *Links) bothEnds(channel int) {
	from, to := l.tcp.Ends(channel)
	l.oneEnd(channel)
	l.sums.TouchTCP(l.tcp.Channel(to, from))
}

// oneEnd records that one direction of a connection has changed.
func (l *Links) oneEnd(channel int) {
	from, to := l.tcp.Ends(channel)
	l.sums.TouchTCP(channel)
	l.Soil(from)
	l.Soil(to)
}

// InFlight returns the number of messages under way, without those in sets.
func (l *Links) InFlight() int { return l.tcp.Len() + l.udp.Len() + l.set.Bagged() }

// Capacities returns how many messages a connection and a channel of datagrams hold.
func (l *Links) Capacities() (tcp, udp int) { return l.net.TCPBuffer, l.net.UDPCapacity }

// Flawed reports whether known bugs of the simulated links are switched on.
func (l *Links) Flawed() bool { return len(l.net.Flaws) > 0 }

// Slow reports whether some link is slow: its messages may have to wait until nothing else can happen.
func (l *Links) Slow() bool { return l.slow != nil }

// OpenTCP returns the channels of connections whose next message may be delivered. The
// method OpenUDP does the same for datagrams.
func (l *Links) OpenTCP() *netsim.Bits {
	if l.guarded || l.barred {
		return &l.acceptedTCP
	}
	return l.tcp.Messages()
}

func (l *Links) OpenUDP() *netsim.Bits {
	if l.guarded || l.barred {
		return &l.acceptedUDP
	}
	return l.udp.Ready()
}

// OpenSet returns the number of messages of sets that may be delivered.
func (l *Links) OpenSet() int {
	if l.guarded || l.barred {
		return l.members
	}
	return l.set.Len()
}

// Concerned reports whether a message is under way to node i or from it.
func (l *Links) Concerned(i int) bool {
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

// Slows reports whether the link from one node to another is slow. It may be called only if Slow reports
// true.
func (l *Links) Slows(from, to sim.Addr) bool { return l.slow(from, to) }

// Barred reports whether some node does not listen, or there is a partition. The method
// Restricted reports whether some message under way may not be delivered, for that reason
// or because a node can decline it.
func (l *Links) Barred() bool     { return l.barred }
func (l *Links) Restricted() bool { return l.guarded || l.barred }

// Disturbed reports whether a connection was reset or broke.
func (l *Links) Disturbed() bool { return l.disturbed }

// Dirty returns the first node, from i on, whose offered actions and accepted messages are
// out of date, or -1.
func (l *Links) Dirty(i int) int { return l.dirty.Next(i) }

// Accept records whether the next message of a TCP channel and the next datagram of the UDP channel with the
// same number may be delivered.
func (l *Links) Accept(channel int, tcp, udp bool) {
	l.acceptedTCP.Put(channel, tcp)
	l.acceptedUDP.Put(channel, udp)
}

// Sums returns the identities of the parts of the state.
func (l *Links) Sums() *state.Sums { return l.sums }

// Full reports whether the channel of a link from one node to another has no room left.
func (l *Links) Full(link sim.Link, from, to int) bool {
	switch link {
	case sim.LinkTCP:
		return l.tcp.Room(l.tcp.Channel(from, to)) <= 0
	case sim.LinkUDP:
		return len(l.udp.Packets(l.udp.Channel(from, to))) >= l.net.UDPCapacity
	}
	return false
}

// Asked records that the present step depends on whether a message is under way to or from node i. why
// says for what the step asked.
func (l *Links) Asked(i int, why state.Why) {
	t, at := l.sums.Touched(), l.sums.Places
	if !t.On() {
		return
	}
	for j := range l.n {
		for _, c := range [2]int{l.tcp.Channel(i, j), l.tcp.Channel(j, i)} {
			t.Add(at.TCP(c), why)
			t.Add(at.UDP(c), why)
		}
		t.Add(at.Set(j), why)
	}
}
