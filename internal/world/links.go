package world

import (
	"cmp"
	"fmt"
	"slices"

	"macemc/internal/handler"
	"macemc/internal/observe"
	"macemc/internal/state"
	"macemc/netsim"
	"macemc/sim"
)

// Links holds the messages under way between the nodes, and which of them may be delivered.
// Whether a node listens and what a partition blocks depends on the environment and the
// nodes: Events.refresh records it here.
type Links struct {
	sums *state.Sums
	n    int
	net  sim.Network
	slow func(from, to sim.Addr) bool // links on which a message comes last; nil means none
	tcp  *netsim.TCP
	udp  *netsim.FIFO
	set  *netsim.Set

	// The channels whose next message its receiver accepts: all of them, unless a node can decline.
	acceptedTCP netsim.Bits // channels whose head
	acceptedUDP netsim.Bits
	members     int           // of sets and bags
	guarded     bool          // some node has Offers or Accepts
	barred      bool          // some node does not listen, or there is a partition
	dirty       state.NodeSet // nodes whose offers and acceptance are out of date, where that matters

	disturbed bool                  // a connection was reset or broke
	used      [sim.LinkBag + 1]bool // by which something was sent, in any run
}

func newLinks(n int, net sim.Network, sums *state.Sums) Links {
	net.TCPBuffer = cmp.Or(net.TCPBuffer, netsim.BufferDefault)
	net.UDPCapacity = cmp.Or(net.UDPCapacity, udpCapacityDefault)
	return Links{
		sums: sums, n: n, net: net,
		tcp: netsim.NewTCP(n, net.TCPBuffer, net.Flaws...), udp: netsim.NewFIFO(n), set: netsim.NewSet(n),
		acceptedTCP: netsim.NewBits(n * n), acceptedUDP: netsim.NewBits(n * n), dirty: state.NewNodeSet(n),
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

// over returns n, with the fields that are set in o replaced by those of o.
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
	l.dirty.Clear()
	l.members, l.guarded, l.barred, l.disturbed = 0, false, false, false
}

// soil marks the offers and acceptance of a node as out of date; soilAll does so for all nodes.
func (l *Links) soil(i int) { l.dirty.Add(i) }
func (l *Links) soilAll()   { l.dirty.Fill(l.n) }

// fresh records that nothing is out of date.
func (l *Links) fresh() { l.dirty.Clear() }

// guard records whether a node has guards.
func (l *Links) guard(g handler.Guards) { l.guarded = l.guarded || g.Any() }

// bar records whether some node does not listen, or there is a partition.
func (l *Links) bar(barred bool) {
	if barred != l.barred {
		l.barred = barred
		l.soilAll()
	}
}

// member records that this many more members of sets and bags are accepted.
func (l *Links) member(n int) { l.members += n }

// disturb records that a connection was reset or broke.
func (l *Links) disturb() { l.disturbed = true }

// send puts a message on its way, and returns its number, which is that of an equal one in
// the set; 0 if there was no room.
func (l *Links) send(link sim.Link, from, to int, p netsim.Packet) (number int32) {
	l.used[link] = true
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
		panic(fmt.Sprintf("macemc bug: world: cannot send by %s", link))
	}
	l.soil(to)
	return p.Number
}

// sent records that a message was added at a place, or lost for want of room.
func (l *Links) sent(link sim.Link, place int, lost bool) {
	why := state.Sent
	if link == sim.LinkUDP {
		why |= state.Room
	}
	l.sums.Touched().Send(state.Send{Link: uint8(link), Place: int32(place), Lost: lost}, why)
}

// head returns the message that an event delivers.
func (l *Links) head(e *happening) netsim.Packet {
	switch e.Link {
	case sim.LinkTCP:
		return *l.tcp.Head(int(e.channel))
	case sim.LinkUDP:
		return *l.udp.Head(int(e.channel))
	}
	return l.set.For(int(e.node))[e.slot].Packet
}

// receive takes the message of an event off its link, and returns the message's origin.
func (l *Links) receive(e *happening) (from netsim.Origin) {
	c := int(e.channel)
	switch e.Link {
	case sim.LinkTCP:
		p, opened := l.tcp.Pop(c)
		from = p.Origin
		l.takes(l.sums.TCP(c))
		if opened {
			l.bothEnds(c)
		}
	case sim.LinkUDP:
		from = l.udp.Pop(c).Origin
		l.takes(l.sums.UDP(c))
	case sim.LinkSet, sim.LinkBag:
		from = l.set.Take(int(e.node), int(e.slot)).Origin
		if e.Link == sim.LinkBag {
			l.takes(l.sums.Set(int(e.node)))
			l.soil(int(e.node))
		}
	default:
		panic(fmt.Sprintf("macemc bug: world: cannot receive by %s", e.Link))
	}
	return from
}

// takes records that a message was taken off a place.
func (l *Links) takes(place int) {
	l.sums.Touch(place)
	l.sums.Touched().Add(place, state.Took)
}

// reset breaks the connection between two nodes by the wish of the first.
func (l *Links) reset(from, to int) {
	l.tcp.Close(from, to)
	l.disturb()
	l.bothEnds(l.tcp.Channel(from, to))
}

// placeTCP makes a channel be as a bank has kept it; nil means nothing.
func (l *Links) placeTCP(c int, k *connectionPart) {
	if k == nil {
		l.tcp.Place(c, netsim.End{}, nil)
	} else {
		l.tcp.Place(c, k.End, k.packets)
		l.disturbed = l.disturbed || l.tcp.Disturbed()
	}
	l.soil(c / l.n)
}

func (l *Links) placeUDP(c int, packets []netsim.Packet) {
	l.udp.Place(c, packets)
	l.soil(c / l.n)
}

func (l *Links) placeSet(i int, members []netsim.Member) {
	l.set.Place(i, members)
	l.soil(i)
}

// equal returns the messages of bags that equal others, by receiver, or nil if there are
// none.
func (l *Links) equal() (all [][]netsim.Equal) {
	for i := range l.n {
		if equal := l.set.Equal(i); len(equal) > 0 {
			if all == nil {
				all = make([][]netsim.Equal, l.n)
			}
			all[i] = clone(equal)
		}
	}
	return all
}

func (l *Links) placeEqual(all [][]netsim.Equal) {
	for i, equal := range all {
		l.set.SetEqual(i, equal)
	}
}

// all yields the messages under way.
func (l *Links) all(yield func(observe.Parcel) bool) {
	for c := range l.n * l.n {
		from, to := l.tcp.Ends(c)
		for _, packets := range [2][]netsim.Packet{l.tcp.Packets(c), l.udp.Packets(c)} {
			for _, p := range packets {
				if !yield(observe.Parcel{From: from, To: to, Packet: p}) {
					return
				}
			}
		}
	}
	for to := range l.n {
		for _, m := range l.set.For(to) {
			if !yield(observe.Parcel{From: m.From, To: to, Packet: m.Packet}) {
				return
			}
		}
	}
}

// crash resets all connections of a node.
func (l *Links) crash(i int) {
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
	l.soil(from)
	l.soil(to)
}

// InFlight returns the number of messages under way, as a View counts them.
func (l *Links) InFlight() int { return l.tcp.Len() + l.udp.Len() + l.set.Bagged() }

// Capacities returns how many messages a connection and a channel of datagrams hold.
func (l *Links) Capacities() (tcp, udp int) { return l.net.TCPBuffer, l.net.UDPCapacity }

// Flawed reports whether known bugs of the simulated links are switched on.
func (l *Links) Flawed() bool { return len(l.net.Flaws) > 0 }

// Slow reports whether a message may have to wait until nothing else is to be done.
func (l *Links) Slow() bool { return l.slow != nil }

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

// openSet returns the number of messages of sets that may be delivered.
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
	if q, is := h.Value.(sim.Quorum); is && h.Kind == sim.KindQuorum {
		return slices.ContainsFunc(q, func(t sim.Taken) bool { return l.slow(t.From, h.Node) })
	}
	return h.Kind == sim.KindMessage && l.slow(h.From, h.Node)
}
