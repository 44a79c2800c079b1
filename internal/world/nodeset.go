package world

import "math/bits"

// nodeSet is a set of nodes. The first 64 are in a word of their own: most systems have no
// more, and most steps add a node to a set.
type nodeSet struct {
	first uint64
	more  []uint64 // of the nodes from 64 on, or nil if the system has none
}

// newNodeSet returns the empty set for a system of n nodes.
func newNodeSet(n int) nodeSet {
	if n <= 64 {
		return nodeSet{}
	}
	return nodeSet{more: make([]uint64, (n-1)/64)}
}

func (s *nodeSet) add(i int) {
	if i < 64 {
		s.first |= 1 << i
		return
	}
	s.more[i/64-1] |= 1 << (i % 64)
}

func (s *nodeSet) remove(i int) {
	if i < 64 {
		s.first &^= 1 << i
		return
	}
	s.more[i/64-1] &^= 1 << (i % 64)
}

func (s *nodeSet) has(i int) bool {
	if i < 64 {
		return s.first&(1<<i) != 0
	}
	return s.more[i/64-1]&(1<<(i%64)) != 0
}

func (s *nodeSet) empty() bool { return s.first == 0 && (s.more == nil || s.next(64) < 0) }

func (s *nodeSet) clear() {
	s.first = 0
	clear(s.more)
}

// fill adds the first n nodes.
func (s *nodeSet) fill(n int) {
	s.first = 1<<(min(n, 64)-1)<<1 - 1
	for i := 64; i < n; i++ {
		s.add(i)
	}
}

// next returns the least node of the set that is at least i, or -1 if there is none.
func (s *nodeSet) next(i int) int {
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

// set makes s equal to another set of the same system.
func (s *nodeSet) set(to nodeSet) {
	s.first = to.first
	copy(s.more, to.more)
	clear(s.more[min(len(to.more), len(s.more)):])
}

func (s *nodeSet) clone() nodeSet { return nodeSet{s.first, append([]uint64(nil), s.more...)} }
