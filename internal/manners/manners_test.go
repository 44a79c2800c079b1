package manners

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestChanceIsThatOfCounting compares chance with counted.
func TestChanceIsThatOfCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		one, base := make([]float64, 1+rng.IntN(6)), make([]float64, 1+rng.IntN(6))
		for _, all := range [][]float64{one, base} {
			for i := range all {
				if all[i] = float64(rng.IntN(5)); all[i] == 4 {
					all[i] = math.Inf(1) // not found
				}
			}
		}
		if got, want := chance(one, base), counted(one, base); math.Abs(got-want) > 1e-12 {
			t.Fatalf("chance(%v, %v) is %v, want %v", one, base, got, want)
		}
	}
}

// counted returns the result of chance by counting, slowly: among all ways to choose the numbers of one, it counts those
// whose ranks have at least the same sum.
func counted(one, base []float64) float64 {
	all := append(append([]float64{}, one...), base...)
	sum := func(set uint) (s int) {
		for i := range all {
			for j := range all {
				switch {
				case set>>i&1 == 0:
				case all[j] < all[i]:
					s += 2
				case all[j] == all[i]:
					s++
				}
			}
		}
		return s
	}
	large, total := 0, 0
	for set := uint(0); set < 1<<len(all); set++ {
		if bits.OnesCount(set) == len(one) {
			if total++; sum(set) >= sum(1<<len(one)-1) {
				large++
			}
		}
	}
	return float64(large) / float64(total)
}
