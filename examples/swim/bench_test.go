package swim

import (
	"runtime"
	"testing"

	checker "macemc/internal/search"
	"macemc/search"
)

// BenchmarkWalks measures the steps that walks of the group take in a second of processor time, as a search
// takes them: with all properties after every step, and with audits.
func BenchmarkWalks(b *testing.B) {
	params, err := System.Configure(0, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	steps := 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := checker.Processor()
	for b.Loop() {
		r, err := search.Search(System, search.Options{Params: params, Depth: 1, Walks: 5000, Workers: 1, Seed: 1})
		if err != nil || r.Finding != nil {
			b.Fatal("the search ended with ", r.Finding, err)
		}
		steps += r.Stats.Steps
	}
	took := checker.Processor() - began
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(steps)/took.Seconds(), "steps/cpu-s")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(steps), "allocs/step")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(steps), "B/step")
}
