package netsim

import (
	"cmp"
	"slices"

	"macemc/internal/canon"
)

// A Member is one message of a Set: who sent it, and what it is.
type Member struct {
	From int
	Packet
}

// Set is a network in which a message, once sent, stays deliverable for ever:
// delivery does not consume it, and sending it again changes nothing.
//
// Each receiver's members are ordered by sender, then by identity.
type Set struct {
	to   [][]Member
	held int
}

// NewSet makes a network of n nodes.
func NewSet(n int) *Set { return &Set{to: make([][]Member, n)} }

// Reset empties the network and keeps its memory.
func (s *Set) Reset() {
	for i := range s.to {
		clear(s.to[i])
		s.to[i] = s.to[i][:0]
	}
	s.held = 0
}

// Len is the number of messages in all sets.
func (s *Set) Len() int { return s.held }

// Add puts a message into to's set and reports whether it is new there.
// p.Sum must be set: it is the message's identity.
func (s *Set) Add(from, to int, p Packet) bool {
	i, there := slices.BinarySearchFunc(s.to[to], Member{from, p}, compareMembers)
	if there {
		return false
	}
	s.to[to] = slices.Insert(s.to[to], i, Member{from, p})
	s.held++
	return true
}

// For are the messages that a node may be given, in canonical order.
func (s *Set) For(to int) []Member { return s.to[to] }

func compareMembers(a, b Member) int {
	return cmp.Or(cmp.Compare(a.From, b.From), CompareSums(a.Sum, b.Sum))
}

// CompareSums orders identities: an order without meaning, but the same in
// every process.
func CompareSums(a, b canon.Hash) int {
	return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo))
}

// Place makes a node's set hold these members, which are in canonical order.
func (s *Set) Place(to int, members []Member) {
	s.held += len(members) - len(s.to[to])
	s.to[to] = append(s.to[to][:0], members...)
}
