package state

import (
	"math/bits"

	"macemc/internal/canon"
)

// NodeSet is a set of nodes. The first 64 nodes are in a word of their own: most systems have no more nodes,
// and most steps add a node to a set.
type NodeSet struct {
	first uint64
	more  []uint64 // the nodes from 64 on; nil if the system has none
}

// NewNodeSet returns the empty set for a system of n nodes.
func NewNodeSet(n int) NodeSet {
	if n <= 64 {
		return NodeSet{}
	}
	return NodeSet{more: make([]uint64, (n-1)/64)}
}

// Add adds node i to the set.
func (s *NodeSet) Add(i int) {
	if i < 64 {
		s.first |= 1 << i
		return
	}
	s.more[i/64-1] |= 1 << (i % 64)
}

// Remove removes node i from the set.
func (s *NodeSet) Remove(i int) {
	if i < 64 {
		s.first &^= 1 << i
		return
	}
	s.more[i/64-1] &^= 1 << (i % 64)
}

// Has reports whether node i is in the set.
func (s *NodeSet) Has(i int) bool {
	if i < 64 {
		return s.first&(1<<i) != 0
	}
	return s.more[i/64-1]&(1<<(i%64)) != 0
}

// Empty reports whether the set has no nodes.
func (s *NodeSet) Empty() bool { return s.first == 0 && (s.more == nil || s.Next(64) < 0) }

// Clear removes all nodes from the set.
func (s *NodeSet) Clear() {
	s.first = 0
	clear(s.more)
}

// Fill adds the nodes 0 to n-1 to the set.
func (s *NodeSet) Fill(n int) {
	s.first = 1<<(min(n, 64)-1)<<1 - 1
	for i := 64; i < n; i++ {
		s.Add(i)
	}
}

// Next returns the least node of the set that is at least i, or -1 if there is none.
func (s *NodeSet) Next(i int) int {
	if i < 64 {
		if w := s.first >> i; w != 0 {
			return i + bits.TrailingZeros64(w)
		}
		i = 64
	}
	for k := i/64 - 1; k < len(s.more); k, i = k+1, (k+2)*64 {
		if w := s.more[k] >> (i % 64); w != 0 {
			return i + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// Set makes s equal to another set of the same system.
func (s *NodeSet) Set(to NodeSet) {
	s.first = to.first
	copy(s.more, to.more)
	clear(s.more[min(len(to.more), len(s.more)):])
}

// Clone returns a copy.
func (s *NodeSet) Clone() NodeSet { return NodeSet{s.first, append([]uint64(nil), s.more...)} }

// Sum returns a hash that combines h with the set.
func (s *NodeSet) Sum(h canon.Hash) canon.Hash {
	h = h.Mix(1<<62 ^ s.first)
	for _, more := range s.more {
		h = h.Mix(more)
	}
	return h
}
