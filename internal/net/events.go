package net

import (
	"fmt"
	"slices"

	"macemc/netsim"
	"macemc/sim"
)

// Spot says where a message under way is: in a channel, or among the members of a node's
// sets and bags.
type Spot struct {
	At      int32 // the index of the node
	Slot    int32 // the index among the members of the node's sets and bags
	Channel int32
}

// Head returns the message at a spot of a link, which may be received.
func (l *Links) Head(link sim.Link, at Spot) netsim.Packet {
	switch link {
	case sim.LinkTCP:
		return *l.tcp.Head(int(at.Channel))
	case sim.LinkUDP:
		return *l.udp.Head(int(at.Channel))
	}
	return l.set.For(int(at.At))[at.Slot].Packet
}

// Receive removes the message at a spot of a link, and returns the step that sent it.
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

// DropHead removes the oldest datagram of a channel.
func (l *Links) DropHead(c int) netsim.Origin {
	from := l.udp.Pop(c).Origin
	l.takes(l.sums.UDP(c))
	return from
}

// Drop removes the datagram at index place of channel c, and returns it.
func (l *Links) Drop(c, place int) netsim.Packet {
	p := l.udp.Take(c, place)
	l.takes(l.sums.UDP(c))
	return p
}

// Duplicate adds a copy of the datagram at index place of channel c, and returns the number
// of the copy.
func (l *Links) Duplicate(c, place int) int32 {
	l.last++
	p := l.udp.Packets(c)[place]
	p.Number = l.last
	l.udp.Push(c, p)
	l.sums.TouchUDP(c)
	return p.Number
}

// AskClear records that a node waits for room on its connection to another node.
func (l *Links) AskClear(from, to int) {
	c := l.tcp.Channel(from, to)
	l.tcp.AskClear(c)
	l.oneEnd(c)
}

// AskFlushed records that a node waits until all that it sent was delivered.
func (l *Links) AskFlushed(i int) { l.tcp.AskFlushed(i) }

// TakeClear removes the pending event ClearToSend of channel c, by which its sender learns that there is
// room again.
func (l *Links) TakeClear(c int) {
	l.tcp.PopClear(c)
	l.oneEnd(c)
}

// TakeFlushed removes the pending event Flushed of node i, by which it learns that none of its messages
// is queued any more.
func (l *Links) TakeFlushed(i int) {
	l.tcp.PopFlushed(i)
	l.sums.TouchNode(i)
}

// TakeError removes the pending event by which the receiver of channel c learns that the connection is
// broken.
func (l *Links) TakeError(c int) {
	l.tcp.PopError(c)
	l.bothEnds(c)
}

// Refuse drops the messages of channel c, whose receiver does not listen.
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

// Forget clears the list of messages that were lost with connections in the last step.
func (l *Links) Forget() { l.tcp.Forget() }

// PlaceTCP sets one direction of a connection to an earlier state. With the zero End and no packets it is
// closed and empty.
func (l *Links) PlaceTCP(c int, e netsim.End, packets []netsim.Packet) {
	l.tcp.Place(c, e, packets)
	l.disturbed = l.disturbed || l.tcp.Disturbed()
	l.Soil(c / l.n)
}

// PlaceUDP sets the datagrams of a channel to those of an earlier state.
func (l *Links) PlaceUDP(c int, packets []netsim.Packet) {
	l.udp.Place(c, packets)
	l.Soil(c / l.n)
}

// PlaceSet replaces the messages in the sets and bags of receiver i by members, which were there
// in an earlier state.
func (l *Links) PlaceSet(i int, members []netsim.Member) {
	l.set.Place(i, members)
	l.Soil(i)
}

// Equal returns, for each receiver, the further copies of messages in its bags, or nil if there
// are none. The first copy of a message is a member of its bag.
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

// PlaceEqual restores the further copies of messages in bags. all is the result of Equal in an
// earlier state, whose members PlaceSet has restored before.
func (l *Links) PlaceEqual(all [][]netsim.Equal) {
	for i, equal := range all {
		l.set.SetEqual(i, equal)
	}
}
