package net

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/netsim"
	"macemc/sim"
)

const nodes = 3

// newLinks returns the links of three nodes, and the Sums that keep the identities of the parts.
func newLinks(t *testing.T, network sim.Network) (*Links, *state.Sums) {
	t.Helper()
	sums := new(state.Sums)
	sums.Init(state.PlacesOf(nodes, 1, 0))
	sums.Watch()
	l, err := NewLinks(nodes, network, sums)
	if err != nil {
		t.Fatal(err)
	}
	l.Start()
	return &l, sums
}

func packet(number int) netsim.Packet {
	return netsim.Packet{Message: number, Sum: canon.Hash{Lo: uint64(number)}, Origin: netsim.Origin{Step: int32(number)}}
}

// touched runs one step, and returns the places that it touched, each with the reasons as letters.
func touched(sums *state.Sums, do func()) (all []string) {
	sums.Touched().Begin()
	do()
	for place, why := range sums.Touched().Footprint() {
		sort, at := sums.Places.At(place)
		all = append(all, fmt.Sprintf("%s %d %s", [...]string{"node", "tcp", "udp", "set"}[sort], at, whys(why)))
	}
	slices.Sort(all)
	return all
}

func whys(why state.Why) (text string) {
	for k, c := range "xtsraew" {
		if why>>k&1 == 1 {
			text += string(c)
		}
	}
	return text
}

// TestLinksTouchWhatTheyChange checks that each change of the messages under way touches the parts that it changes
// and no others, with the right reasons: t stands for took, s for sent, r for asked for room, w for wrote.
func TestLinksTouchWhatTheyChange(t *testing.T) {
	l, sums := newLinks(t, sim.Network{UDPCapacity: 2})
	c := l.Channel(0, 1)
	back := l.Channel(1, 0)
	tcp, udp := fmt.Sprint("tcp ", c), fmt.Sprint("udp ", c)
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"send tcp", func() { l.Send(sim.LinkTCP, 0, 1, packet(1)) }, []string{tcp + " sw"}},
		{"receive tcp, which opens it", func() { l.Receive(sim.LinkTCP, Spot{Channel: int32(c)}) }, []string{fmt.Sprint("tcp ", back, " w"), tcp + " tw"}},
		{"send udp", func() { l.Send(sim.LinkUDP, 0, 1, packet(2)) }, []string{udp + " srw"}},
		{"duplicate", func() { l.Duplicate(c, 0) }, []string{udp + " w"}},
		{"send udp without room", func() { l.Send(sim.LinkUDP, 0, 1, packet(4)) }, []string{udp + " sr"}},
		{"drop", func() { l.Drop(c, 1) }, []string{udp + " tw"}},
		{"drop the head", func() { l.DropHead(c) }, []string{udp + " tw"}},
		{"send set", func() { l.Send(sim.LinkSet, 0, 1, packet(5)) }, []string{"set 1 sw"}},
		{"send an equal one", func() { l.Send(sim.LinkSet, 0, 1, packet(5)) }, []string{"set 1 s"}},
		{"receive from the set, where it stays", func() { l.Receive(sim.LinkSet, Spot{At: 1}) }, nil},
		{"send bag", func() { l.Send(sim.LinkBag, 2, 1, packet(6)) }, []string{"set 1 sw"}},
		{"receive from the bag", func() { l.Receive(sim.LinkBag, Spot{At: 1, Slot: 1}) }, []string{"set 1 tw"}},
		{"ask for room", func() { l.AskClear(0, 1) }, []string{tcp + " w"}},
		{"break", func() { l.Break(0, 1, c) }, []string{fmt.Sprint("tcp ", back, " w"), tcp + " w"}},
		{"hear of it", func() { l.TakeError(c) }, []string{fmt.Sprint("tcp ", back, " w"), tcp + " w"}},
	} {
		if got := touched(sums, step.do); !slices.Equal(got, step.want) {
			t.Errorf("%s: touched %v, want %v", step.name, got, step.want)
		}
	}
	if !l.Disturbed() {
		t.Error("a connection broke, and the links are not disturbed")
	}
	if n := l.InFlight(); n != 0 {
		t.Errorf("%d messages are under way", n)
	}
}

// TestOnlyAcceptedMessagesAreOpen checks that a message may be delivered only if its receiver accepts it, and that
// all may while no node declines any.
func TestOnlyAcceptedMessagesAreOpen(t *testing.T) {
	l, _ := newLinks(t, sim.Network{})
	l.Send(sim.LinkTCP, 0, 1, packet(1))
	l.Send(sim.LinkTCP, 0, 2, packet(2))
	l.Send(sim.LinkUDP, 0, 1, packet(3))
	l.Send(sim.LinkSet, 0, 1, packet(4))
	open := func() string { return fmt.Sprint(l.OpenTCP().Len(), l.OpenUDP().Len(), l.OpenSet()) }
	if got := open(); got != "2 1 1" {
		t.Errorf("unrestricted: %s", got)
	}
	l.Fresh()
	l.Guard(false)
	if l.Restricted() || l.Dirty(0) >= 0 {
		t.Error("no node has guards, and messages are restricted")
	}
	l.Guard(true)
	l.Accept(l.Channel(0, 2), true, false)
	if got := open(); got != "1 0 0" {
		t.Errorf("of what n2 accepts by tcp: %s", got)
	}
	l.Member(1)
	if l.Send(sim.LinkTCP, 0, 2, packet(5)); open() != "1 0 1" || l.Dirty(0) != 2 || l.Dirty(3) >= 0 {
		t.Errorf("with a member: %s; dirty is n%d", open(), l.Dirty(0))
	}
	if l.Bar(true); !l.Barred() || l.Dirty(0) != 0 {
		t.Error("a partition leaves what nodes accept as it was")
	}
	if l.Start(); l.Restricted() || open() != "0 0 0" {
		t.Error("a run starts with what the last one left")
	}
}

// TestPlacedPartsAreAsTheyWere checks that parts which were read and then placed are the same as before, and that
// equal messages of a set and a bag are not mixed up.
func TestPlacedPartsAreAsTheyWere(t *testing.T) {
	from, _ := newLinks(t, sim.Network{})
	for k, link := range []sim.Link{sim.LinkTCP, sim.LinkTCP, sim.LinkUDP, sim.LinkSet, sim.LinkBag} {
		from.Send(link, 0, 1, packet(k))
	}
	from.Send(sim.LinkBag, 0, 1, packet(4))
	from.Receive(sim.LinkTCP, Spot{Channel: int32(from.Channel(0, 1))})
	to, _ := newLinks(t, sim.Network{})
	for c := range nodes * nodes {
		to.PlaceTCP(c, from.TCP().End(c), from.TCP().Packets(c))
		to.PlaceUDP(c, from.UDP().Packets(c))
	}
	for i := range nodes {
		to.PlaceSet(i, from.Set().For(i))
	}
	to.PlaceEqual(from.Equal())
	shown := func(l *Links) string {
		var b strings.Builder
		for c := range nodes * nodes {
			fmt.Fprintln(&b, l.TCP().End(c), l.TCP().Packets(c), l.UDP().Packets(c))
		}
		return fmt.Sprint(b.String(), l.Set().For(1), l.Equal(), l.InFlight(), l.OpenTCP(), l.Concerned(0), l.Concerned(2))
	}
	if a, b := shown(from), shown(to); a != b {
		t.Errorf("placed:\n%s\nwant:\n%s", b, a)
	}
}

// TestFullLinks checks that a link is full when it has as many messages as sim.Network says, or as the default if that
// is 0, and that a set is never full.
func TestFullLinks(t *testing.T) {
	l, _ := newLinks(t, sim.Network{TCPBuffer: 2, Slow: "n0-n1"})
	if tcp, udp := l.Capacities(); tcp != 2 || udp != UDPCapacityDefault {
		t.Errorf("capacities %d and %d", tcp, udp)
	}
	for k := range UDPCapacityDefault {
		if l.Full(sim.LinkTCP, 0, 1) != (k >= 2) || l.Full(sim.LinkUDP, 0, 1) || l.Full(sim.LinkSet, 0, 1) {
			t.Errorf("full after %d messages", k)
		}
		if k < 2 {
			l.Send(sim.LinkTCP, 0, 1, packet(k))
		}
		l.Send(sim.LinkUDP, 0, 1, packet(k))
	}
	if !l.Full(sim.LinkUDP, 0, 1) || l.Full(sim.LinkUDP, 1, 0) || l.Send(sim.LinkUDP, 0, 1, packet(7)) != 0 {
		t.Error("a channel has more room than it was given")
	}
	if !l.UsedBy("udp") || l.UsedBy("set") || l.Flawed() {
		t.Error("what was used is not known")
	}
}

// TestMessagesAreNumbered checks that each message gets a number, counted from 1 in each run, even a copy and a
// message that is lost because there is no room. Sending a message again that is in the set returns its old number.
func TestMessagesAreNumbered(t *testing.T) {
	l, _ := newLinks(t, sim.Network{UDPCapacity: 1})
	for k, c := range []struct {
		link sim.Link
		want int32
	}{{sim.LinkUDP, 1}, {sim.LinkUDP, 0}, {sim.LinkTCP, 3}, {sim.LinkSet, 4}, {sim.LinkSet, 4}, {sim.LinkBag, 6}, {sim.LinkBag, 7}} {
		if got := l.Send(c.link, 0, 1, packet(1)); got != c.want || l.Sent() != int32(k+1) {
			t.Errorf("message %d by %s has number %d, want %d", k+1, c.link, got, c.want)
		}
	}
	if copied := l.Duplicate(l.Channel(0, 1), 0); copied != 8 || l.UDP().Packets(l.Channel(0, 1))[1].Number != 8 {
		t.Errorf("a copy has number %d, want 8", copied)
	}
	if l.Resume(20); l.Send(sim.LinkTCP, 0, 1, packet(2)) != 21 {
		t.Error("numbers do not go on where a run is resumed")
	}
	if l.Start(); l.Send(sim.LinkTCP, 0, 1, packet(2)) != 1 {
		t.Error("a run continues the numbers of the last one")
	}
}
