package search

import (
	"fmt"
	"testing"

	"macemc/systems/twophase"
)

// BenchmarkRepeated measures the cost of repeating the steps of a small space. It takes whole searches
// with repetitions and without (once). In the last two spaces, which are too large, no step is repeated.
func BenchmarkRepeated(b *testing.B) {
	for rms := 3; rms <= 6; rms++ {
		p, err := twophase.System.Configure(0, []string{fmt.Sprintf("rms=%d", rms)}, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, engine := range []Engine{EngineMemo, EngineLocal} {
			for _, once := range []bool{true, false} {
				b.Run(fmt.Sprintf("rms=%d/%s/once=%v", rms, engine, once), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						res, err := Search(twophase.System, Options{Params: p, Engine: engine, Workers: 1, NoWalks: true, Reduce: ReduceNone, Effort: 1 << 30, once: once})
						if err != nil || (res.Repeated.Steps > 0) == (once || res.Stats.Transitions > 20_000) {
							b.Fatal(err, res.Repeated, res.Stats.Transitions)
						}
						b.ReportMetric(float64(res.Stats.Transitions), "transitions")
						b.ReportMetric(float64(res.Repeated.Steps*res.Repeated.Times), "again")
					}
				})
			}
		}
	}
}
