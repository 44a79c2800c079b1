package decide

import (
	"math"
	"testing"
)

// The results of Fisher's exact test, one-sided, are those of tables that were counted by hand: the
// probability that at least a of the walks that succeed are of the first kind.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		a, n, b, m int
		p          float64
	}{
		{3, 4, 1, 4, 17. / 70},    // the lady and the tea
		{4, 4, 0, 4, 1. / 70},     //
		{2, 2, 5, 10, 252. / 792}, // all walks of the first kind succeed
		{9, 10, 1, 2, 21. / 66},   // C(10,9)C(2,1) and C(10,10)C(2,0), of C(12,10)
		{0, 4, 0, 4, 1}, {0, 4, 4, 4, 1},
	} {
		if p := fisher(c.a, c.n, c.b, c.m); math.Abs(p-c.p) > 1e-9 {
			t.Errorf("%d of %d and %d of %d: %.9f, not %.9f", c.a, c.n, c.b, c.m, p, c.p)
		}
	}
	if p := byChance(3, 1, 4); math.Abs(p-17./70) > 1e-9 {
		t.Errorf("3 and 1 of 4: %.9f", p)
	}
}
