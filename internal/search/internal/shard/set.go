package shard

import (
	"macemc/internal/canon"
	"macemc/internal/flat"
)

// Set is the identities of the states of a shard, in the order in which they were added.
type Set struct {
	all   []canon.Hash
	index flat.Index
}

// Len returns the number of identities.
func (s *Set) Len() int { return len(s.all) }

// Has reports whether the set has an identity.
func (s *Set) Has(h canon.Hash) bool {
	_, is := s.index.Find(s.all, h)
	return is
}

// Add adds an identity, and reports whether it is new.
func (s *Set) Add(h canon.Hash) bool {
	if s.Has(h) {
		return false
	}
	s.all = append(s.all, h)
	s.index.Add(s.all, uint32(len(s.all)-1))
	return true
}

// From returns the identities from the k-th on.
func (s *Set) From(k int) []canon.Hash { return s.all[k:] }

// Of returns the shard of an identity, of n.
func Of(h canon.Hash, n int) int { return int((h.Lo >> 32) * uint64(n) >> 32) }
