package decide

import (
	"math"
	"testing"
)

// The interval holds the true chance in about 95 of 100 samples: by the exact chances of a
// binomial distribution, in no less than 83 for any chance, and in 94 to 97 on average.
func TestInterval(t *testing.T) {
	for _, n := range []int{20, 40, 100} {
		sum, least := 0.0, 1.0
		const cells = 200
		for k := 1; k < cells; k++ {
			p, covers := float64(k)/cells, 0.0
			for well := range n + 1 {
				low, high := Interval(well, n)
				if low < 0 || high > 1 || low > high {
					t.Fatalf("%d of %d: %g to %g", well, n, low, high)
				}
				if low <= p && p <= high {
					covers += binomial(n, well, p)
				}
			}
			sum, least = sum+covers, min(least, covers)
		}
		if average := sum / (cells - 1); average < 0.94 || average > 0.97 || least < 0.83 {
			t.Errorf("of %d walks: it holds in %.3f on average, and %.3f at least", n, average, least)
		}
	}
	if low, high := Interval(0, 40); low != 0 || math.Abs(high-0.0876) > 1e-4 {
		t.Errorf("none of 40: %g to %g", low, high)
	}
	if low, high := Interval(40, 40); math.Abs(low-0.9124) > 1e-4 || high != 1 {
		t.Errorf("all of 40: %g to %g", low, high)
	}
}

func binomial(n, k int, p float64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
}
