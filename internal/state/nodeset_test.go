package state

import (
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/internal/canon"
)

// TestNodeSetAgreesWithMap compares a NodeSet with a map, in systems with up to 64 nodes and with more, and checks
// that equal sets have equal identities.
func TestNodeSetAgreesWithMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 7, 64, 65, 128, 160} {
		s, want := NewNodeSet(n), map[int]bool{}
		for range 200 {
			switch i := rng.IntN(n); rng.IntN(4) {
			case 0:
				s.Remove(i)
				delete(want, i)
			default:
				s.Add(i)
				want[i] = true
			}
			var all []int
			for i := s.Next(0); i >= 0; i = s.Next(i + 1) {
				all = append(all, i)
			}
			if len(all) != len(want) || !slices.IsSorted(all) || s.Empty() != (len(want) == 0) {
				t.Fatalf("of %d nodes: %v, want %v", n, all, want)
			}
			for i := range n {
				if s.Has(i) != want[i] {
					t.Fatalf("of %d nodes: node %d is in the set: %v", n, i, s.Has(i))
				}
			}
		}
		other := NewNodeSet(n)
		other.Set(s)
		if copied := s.Clone(); copied.Sum(canon.Hash{}) != other.Sum(canon.Hash{}) {
			t.Errorf("of %d nodes: a clone and a copy have different identities", n)
		}
		s.Fill(n)
		if s.Remove(n - 1); s.Next(n-1) >= 0 {
			t.Errorf("of %d nodes: the last one was removed, and is there", n)
		}
		last := NewNodeSet(n)
		if last.Add(n - 1); last.Sum(canon.Hash{}) == new(NodeSet).Sum(canon.Hash{}) {
			t.Errorf("of %d nodes: the last one does not count for the identity", n)
		}
		if last.Set(NodeSet{}); !last.Empty() {
			t.Errorf("of %d nodes: set to nothing, and not empty", n)
		}
		if other.Sum(canon.Hash{}) == s.Sum(canon.Hash{}) {
			t.Errorf("of %d nodes: a copy follows its original", n)
		}
		if s.Clear(); !s.Empty() {
			t.Errorf("of %d nodes: a cleared set is not empty", n)
		}
	}
}
