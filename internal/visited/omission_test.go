package visited

import (
	"math"
	"math/rand/v2"
	"testing"

	"macemc/internal/canon"
)

// omissions fills a table with n states of random hashes, and counts those that
// it takes for known before it has that many.
func omissions(r *rand.Rand, table *Table, n int) (omitted int) {
	for table.Len() < n {
		switch table.Insert(canon.Hash{Hi: r.Uint64(), Lo: r.Uint64()}, 0) {
		case Known:
			omitted++
		case Full:
			panic("macemc bug: the test wants more states than there is room for")
		}
	}
	return omitted
}

// The bound on omissions against what happens, with tags of so few bits that
// much does: over many tables it is not exceeded by more than chance allows,
// and not far off.
func TestExpectedOmissions(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of insertions")
	}
	for _, c := range []struct {
		name        string
		o           Options
		slots, n    int
		tables      int
		slackFactor float64 // how far below the bound the truth may lie
	}{
		{"tag of 12 bits, half full", Options{DepthBits: 52}, 20_000, 10_000, 100, 0.9},
		{"tag of 12 bits, three quarters", Options{DepthBits: 52}, 20_000, 15_000, 50, 0.9},
		{"tag of 12 bits, full", Options{DepthBits: 52}, 20_000, 17_900, 20, 0.8},
		{"tag of 20 bits", Options{DepthBits: 44}, 20_000, 15_000, 200, 0.8},
		{"32 bits of the hash", Options{DepthBits: 8, HashBits: 32}, 200_000, 150_000, 20, 0.8},
		{"16 bits of the hash", Options{DepthBits: 8, HashBits: 16}, 80_000, 60_000, 5, 0.9},
		{"16 bits of the hash, few states", Options{DepthBits: 8, HashBits: 16}, 80, 60, 10_000, 0.9},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		omitted, bound := 0, 0.0
		for range c.tables {
			table := over(make([]uint64, c.slots), nil, c.o)
			omitted += omissions(r, table, c.n)
			bound += table.ExpectedOmissions()
		}
		t.Logf("%s: %d omitted, at most %.1f expected", c.name, omitted, bound)
		chance := 4 * math.Sqrt(bound) // four standard deviations
		if x := float64(omitted); x > bound+chance || x < c.slackFactor*bound-chance {
			t.Errorf("%s: %d omitted, at most %.1f expected", c.name, omitted, bound)
		}
	}
}

// The figures that one would quote: a table at three quarters keeps as many
// bits of a hash as its tag has, and those of its slots, less two.
func TestOmissionFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("a million insertions")
	}
	table := over(make([]uint64, 1<<20), nil, Options{DepthBits: 8})
	const n = 3 << 18
	omissions(rand.New(rand.NewPCG(1, 2)), table, n)
	want := float64(n) * n / 2 / math.Exp2(56+20-2)
	if got := table.ExpectedOmissions(); math.Abs(got/want-1) > 1e-9 || table.OmissionProbability() != got {
		t.Errorf("expected are %g omissions, not %g", got, want)
	}
	if empty := over(make([]uint64, 16), nil, Options{DepthBits: 8}); empty.ExpectedOmissions() != 0 {
		t.Errorf("an empty table omitted %g states", empty.ExpectedOmissions())
	}
	weak := over(make([]uint64, 16), nil, Options{DepthBits: 8, HashBits: 1})
	weak.Insert(canon.Hash{Lo: 0}, 0)
	weak.Insert(canon.Hash{Lo: 1}, 0)
	if p := weak.OmissionProbability(); p != 1 {
		t.Errorf("all hashes of one bit are there, and the probability of an omission is %g", p)
	}
}
