package shard

import (
	"iter"

	"macemc/internal/canon"
	"macemc/internal/flat"
)

// Set is a set of the identities of visited states of a shard. It keeps the order in which they
// were added.
type Set struct {
	all   flat.Hashes
	index flat.Index
}

// Len returns the number of identities in the set.
func (s *Set) Len() int { return s.all.Len() }

// Has reports whether identity h is in the set.
func (s *Set) Has(h canon.Hash) bool {
	_, is := s.index.Find(&s.all, h)
	return is
}

// Add adds identity h to the set, and reports whether it was not in the set before.
func (s *Set) Add(h canon.Hash) bool {
	if s.Has(h) {
		return false
	}
	s.all.Append(h)
	s.index.Add(&s.all, uint32(s.all.Len()-1))
	return true
}

// From yields the identities in the order in which they were added, without the first k.
func (s *Set) From(k int) iter.Seq[canon.Hash] {
	return func(yield func(canon.Hash) bool) {
		for ; k < s.all.Len() && yield(s.all.At(uint32(k))); k++ {
		}
	}
}

// Of returns the number of the shard to which the state with identity h belongs, if there are n
// shards.
func Of(h canon.Hash, n int) int { return int((h.Lo >> 32) * uint64(n) >> 32) }
