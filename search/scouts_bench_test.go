package search

import (
	"testing"
	"time"

	"macemc/sim"
	"macemc/systems/jointree"
	"macemc/systems/randtree"
)

// BenchmarkScouts measures walks that several workers take beside those of one,
// by turns, by the clock: an operation is a pair of searches.
func BenchmarkScouts(b *testing.B) {
	for _, s := range []struct {
		name  string
		sys   *sim.System
		nodes int
		walks int
	}{
		{"small", jointree.System, 4, 60_000},
		{"randtree", randtree.System, 5, 10_000},
	} {
		b.Run(s.name, func(b *testing.B) {
			var wall, spent [2]time.Duration
			for b.Loop() {
				for i, workers := range []int{1, 2} {
					params, err := s.sys.Configure(s.nodes, nil, nil)
					if err != nil {
						b.Fatal(err)
					}
					cpu, began := cpuTime(), time.Now()
					exhausted(b, s.sys, Options{Params: params, Depth: 1, Roam: s.walks, Workers: workers})
					wall[i], spent[i] = wall[i]+time.Since(began), spent[i]+cpuTime()-cpu
				}
			}
			b.ReportMetric(wall[0].Seconds()/float64(b.N), "s-by-one")
			b.ReportMetric(wall[1].Seconds()/float64(b.N), "s-by-two")
			b.ReportMetric(float64(wall[0])/float64(wall[1]), "ratio")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "cpu-ratio")
		})
	}
}
