package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/internal/search/internal/explore"
)

func TestCoinLists(t *testing.T) {
	var c explore.CoinLists
	if n, fits := c.Number(nil); n != 0 || !fits || c.Get(0) != nil {
		t.Errorf("no answers are list %d: %v, %v", n, c.Get(n), fits)
	}
	r := rand.New(rand.NewPCG(4, 4))
	twin := map[string]uint16{}
	for range 5_000 {
		answers := make([]int, 1+r.IntN(4))
		for i := range answers {
			answers[i] = r.IntN(13)
		}
		kept := slices.Clone(answers)
		n, fits := c.Number(answers)
		if was, met := twin[fmt.Sprint(kept)]; !fits || met && was != n {
			t.Fatalf("%v is list %d, %v, and was %d", kept, n, fits, was)
		}
		twin[fmt.Sprint(kept)] = n
		clear(answers) // a caller may reuse the slice
		if got := c.Get(n); !slices.Equal(got, kept) {
			t.Fatalf("list %d is %v, not %v", n, got, kept)
		}
	}
	seen := map[uint16]string{}
	for list, n := range twin {
		if other, met := seen[n]; met {
			t.Errorf("%s and %s are both list %d", list, other, n)
		}
		seen[n] = list
	}
}

// When all numbers are in use, a new list gets none, and the known lists keep theirs.
func TestCoinListsFull(t *testing.T) {
	var c explore.CoinLists
	const most = 1<<16 - 1
	for i := range most {
		if n, fits := c.Number([]int{i}); !fits || int(n) != i+1 {
			t.Fatalf("list %d has the number %d, %v", i, n, fits)
		}
	}
	for range 2 {
		if n, fits := c.Number([]int{most}); fits {
			t.Errorf("a list too many has the number %d", n)
		}
	}
	if n, fits := c.Number([]int{7}); n != 8 || !fits {
		t.Errorf("a known list has the number %d, %v", n, fits)
	}
}
