package net

import (
	"fmt"
	"slices"

	"macemc/netsim"
	"macemc/sim"
)

// Spot is where a message under way is: at a place of the node's sets and bags, or in a channel.
type Spot struct {
	At      int32 // the node
	Slot    int32 // a member of the node's set
	Channel int32
}

// Head returns the message that may be received by a link at a spot.
func (l *Links) Head(link sim.Link, at Spot) netsim.Packet {
	switch link {
	case sim.LinkTCP:
		return *l.tcp.Head(int(at.Channel))
	case sim.LinkUDP:
		return *l.udp.Head(int(at.Channel))
	}
	return l.set.For(int(at.At))[at.Slot].Packet
}

// Receive takes the message at a spot off its link, and returns the message's origin.
func (l *Links) Receive(link sim.Link, at Spot) (from netsim.Origin) {
	c, i := int(at.Channel), int(at.At)
	switch link {
	case sim.LinkTCP:
		p, opened := l.tcp.Pop(c)
		from = p.Origin
		l.takes(l.sums.TCP(c))
		if opened {
			l.bothEnds(c)
		}
	case sim.LinkUDP:
		from = l.DropHead(c)
	case sim.LinkSet, sim.LinkBag:
		from = l.set.Take(i, int(at.Slot)).Origin
		if link == sim.LinkBag {
			l.takes(l.sums.Set(i))
			l.Soil(i)
		}
	default:
		panic(fmt.Sprintf("macemc bug: net: cannot receive by %s", link))
	}
	return from
}

// DropHead takes the oldest datagram off a channel.
func (l *Links) DropHead(c int) netsim.Origin {
	from := l.udp.Pop(c).Origin
	l.takes(l.sums.UDP(c))
	return from
}

// Drop takes the datagram at a place off a channel.
func (l *Links) Drop(c, place int) netsim.Packet {
	p := l.udp.Take(c, place)
	l.takes(l.sums.UDP(c))
	return p
}

// Duplicate puts a copy of the datagram at a place on the channel, and returns its number.
func (l *Links) Duplicate(c, place int) int32 {
	l.last++
	p := l.udp.Packets(c)[place]
	p.Number = l.last
	l.udp.Push(c, p)
	l.sums.TouchUDP(c)
	return p.Number
}

// AskClear records that a node wants to know when there is room on its connection to another.
func (l *Links) AskClear(from, to int) {
	c := l.tcp.Channel(from, to)
	l.tcp.AskClear(c)
	l.oneEnd(c)
}

// AskFlushed records that a node wants to know when all that it sent was delivered.
func (l *Links) AskFlushed(i int) { l.tcp.AskFlushed(i) }

// TakeClear takes the news that there is room on a connection.
func (l *Links) TakeClear(c int) {
	l.tcp.PopClear(c)
	l.oneEnd(c)
}

// TakeFlushed takes the news that all that a node sent was delivered.
func (l *Links) TakeFlushed(i int) {
	l.tcp.PopFlushed(i)
	l.sums.TouchNode(i)
}

// TakeError takes the news that a connection was reset or broke.
func (l *Links) TakeError(c int) {
	l.tcp.PopError(c)
	l.bothEnds(c)
}

// Refuse makes the message at the head of a connection be refused.
func (l *Links) Refuse(c int) {
	l.tcp.Refuse(c)
	l.oneEnd(c)
}

// Break breaks the connection of two nodes; c is one of its channels.
func (l *Links) Break(a, b, c int) {
	l.tcp.Break(a, b)
	l.disturb()
	l.bothEnds(c)
}

// SetFlushing makes a node wait until all that it sent is delivered, or not wait.
func (l *Links) SetFlushing(i int, waits bool) { l.tcp.SetFlushing(i, waits) }

// Forget forgets the messages that were lost with connections in the last step.
func (l *Links) Forget() { l.tcp.Forget() }

// PlaceTCP makes one direction of a connection be as it was kept. The zero End and no packets are
// those of nothing.
func (l *Links) PlaceTCP(c int, e netsim.End, packets []netsim.Packet) {
	l.tcp.Place(c, e, packets)
	l.disturbed = l.disturbed || l.tcp.Disturbed()
	l.Soil(c / l.n)
}

// PlaceUDP makes a channel of datagrams be as it was kept.
func (l *Links) PlaceUDP(c int, packets []netsim.Packet) {
	l.udp.Place(c, packets)
	l.Soil(c / l.n)
}

// PlaceSet makes the sets and bags of a receiver be as they were kept.
func (l *Links) PlaceSet(i int, members []netsim.Member) {
	l.set.Place(i, members)
	l.Soil(i)
}

// Equal returns the messages of bags that equal others, by receiver, or nil if there are
// none.
func (l *Links) Equal() (all [][]netsim.Equal) {
	for i := range l.n {
		if equal := l.set.Equal(i); len(equal) > 0 {
			if all == nil {
				all = make([][]netsim.Equal, l.n)
			}
			all[i] = slices.Clone(equal)
		}
	}
	return all
}

// PlaceEqual makes the messages of bags equal others as Equal had them.
func (l *Links) PlaceEqual(all [][]netsim.Equal) {
	for i, equal := range all {
		l.set.SetEqual(i, equal)
	}
}
