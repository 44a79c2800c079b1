package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKeys compares the results of Keys and Addrs with a list that the test sorts itself, for maps with fewer
// and with more keys than keysFew.
func TestKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 3 * keysFew {
		names, nodes := map[int]bool{}, map[Addr]bool{}
		var want []int
		for len(want) < n {
			if k := rng.IntN(100); !names[k] {
				at, _ := slices.BinarySearch(want, k)
				want = slices.Insert(want, at, k)
				names[k], nodes[addrOf(k)] = true, true
			}
		}
		all, which := Keys(names), Addrs(nodes)
		if a, b := append(all, 1), append(all, 2); a[n] == b[n] {
			t.Fatalf("two appends to the same %d keys share an array", n)
		}
		if !slices.Equal(all, want) || len(which) != n || n == 0 && (all != nil || which != nil) {
			t.Fatalf("of %v: %v and %v", want, all, which)
		}
		for i, a := range which {
			if a.Index() != want[i] {
				t.Fatalf("of %v: %v", want, which)
			}
		}
		if most := min(n/(keysFew+1), 1); int(testing.AllocsPerRun(10, func() {
			for range Keys(names) {
			}
			for range Addrs(nodes) {
			}
		})) > 2*most {
			t.Errorf("ranging over %d keys allocates", n)
		}
	}
}
