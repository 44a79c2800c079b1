package netsim

import (
	"cmp"
	"slices"
)

// A Member is one message of a Set, with its sender. In a bag it has the number of its
// copies; in a set it has no number.
type Member struct {
	From  int
	Count int
	Packet
}

// Set is two networks without order, which lose nothing: a set and a bag. A message in the set stays
// deliverable for ever: delivery does not consume it, and sending it again changes nothing. A message in
// the bag is delivered once, and equal ones are counted. Both share a list, since no message blocks
// another.
//
// Each receiver's members are ordered by sender and then by identity. Of equal messages, the one in the
// set comes before those in the bag.
type Set struct {
	to    [][]Member
	equal [][]Equal // by receiver: further copies of messages in its bag, behind the first copy of each
	held  int
}

// Equal is the second or a later copy of a message in a bag. The first copy is the Member, which has
// the number of all copies. After Place, the later copies are unknown until SetEqual sets them.
type Equal struct {
	From int
	Sum  Sum
	Origin
}

// NewSet makes a network of n nodes.
func NewSet(n int) *Set { return &Set{to: make([][]Member, n), equal: make([][]Equal, n)} }

// Reset empties the network and keeps its memory.
func (s *Set) Reset() {
	for i := range s.to {
		clear(s.to[i])
		s.to[i] = s.to[i][:0]
		s.equal[i] = s.equal[i][:0]
	}
	s.held = 0
}

// Len returns the number of messages in all sets.
func (s *Set) Len() int { return s.held }

// Add puts a message into to's set, unless an equal one is there. It returns the Origin of the
// message that is in the set, and reports whether it was added. p.Sum, the message's identity, must
// be set.
func (s *Set) Add(from, to int, p Packet) (is Origin, fresh bool) {
	i, there := slices.BinarySearchFunc(s.to[to], Member{From: from, Packet: p}, compareMembers)
	if there {
		return s.to[to][i].Origin, false
	}
	s.to[to] = slices.Insert(s.to[to], i, Member{From: from, Packet: p})
	s.held++
	return p.Origin, true
}

// Put adds a message to to's bag. p.Sum must be set.
func (s *Set) Put(from, to int, p Packet) {
	m := Member{From: from, Count: 1, Packet: p}
	i, there := slices.BinarySearchFunc(s.to[to], m, compareMembers)
	if there {
		s.to[to][i].Count++
		s.equal[to] = append(s.equal[to], Equal{from, p.Sum, p.Origin})
		return
	}
	s.to[to] = slices.Insert(s.to[to], i, m)
	s.held++
}

// Take delivers the i-th member of node to. If the member is in a bag, Take removes it or,
// if there are equal messages, the oldest of them.
func (s *Set) Take(to, i int) Packet {
	m := &s.to[to][i]
	p := m.Packet
	switch m.Count {
	case 0:
	case 1:
		s.to[to] = slices.Delete(s.to[to], i, i+1)
		s.held--
	default:
		m.Count--
		if i := s.second(to, m); i >= 0 {
			m.Origin = s.equal[to][i].Origin
			s.equal[to] = slices.Delete(s.equal[to], i, i+1)
		}
	}
	return p
}

// second returns the index of the oldest further copy of member m, or -1 if it is not
// known.
func (s *Set) second(to int, m *Member) int {
	return slices.IndexFunc(s.equal[to], func(e Equal) bool { return e.From == m.From && e.Sum == m.Sum })
}

// Bagged returns the number of messages in all bags.
func (s *Set) Bagged() (n int) {
	for i := range s.to {
		n += Bagged(s.to[i])
	}
	return n
}

// Bagged returns the number of messages among members that are in a bag.
func Bagged(members []Member) (n int) {
	for i := range members {
		n += members[i].Count
	}
	return n
}

// For returns the messages that can be delivered to a node, in canonical order.
func (s *Set) For(to int) []Member { return s.to[to] }

func compareMembers(a, b Member) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Sum.Hi, b.Sum.Hi), cmp.Compare(a.Sum.Lo, b.Sum.Lo), cmp.Compare(min(a.Count, 1), min(b.Count, 1)))
}

// Place makes a node's set hold these members, which are in canonical order.
func (s *Set) Place(to int, members []Member) {
	s.held += len(members) - len(s.to[to])
	s.to[to] = append(s.to[to][:0], members...)
	s.equal[to] = s.equal[to][:0]
}

// Equal returns the further copies of messages in a node's bag.
func (s *Set) Equal(to int) []Equal { return s.equal[to] }

// SetEqual sets, after Place, the further copies of messages in a node's bag.
func (s *Set) SetEqual(to int, all []Equal) { s.equal[to] = append(s.equal[to][:0], all...) }
