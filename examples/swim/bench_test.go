package swim

import (
	"runtime"
	"syscall"
	"testing"
	"time"

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
	began := spent()
	for b.Loop() {
		r, err := search.Search(System, search.Options{Params: params, Depth: 1, Walks: 5000, Workers: 1, Seed: 1})
		if err != nil || r.Finding != nil {
			b.Fatal("the search ended with ", r.Finding, err)
		}
		steps += r.Stats.Steps
	}
	took := spent() - began
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(steps)/took.Seconds(), "steps/cpu-s")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(steps), "allocs/step")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(steps), "B/step")
}

// spent is the processor time of the process.
func spent() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
