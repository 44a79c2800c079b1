//go:build linux

package search

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"macemc/internal/search/internal/walk"
	"macemc/sim"
	"macemc/systems/jointree"
	"macemc/systems/randtree"
)

// BenchmarkScouts compares searches by one worker and by two, which it takes by turns. An operation is
// one search of each. It reports the ratio of their times by the clock, which says little on a busy
// machine. So it also reports a computed ratio, given-out-ratio: it measures the processor time of each
// walk, and assumes that two workers share the walks and that each needs that time.
func BenchmarkScouts(b *testing.B) {
	for _, s := range []struct {
		name  string
		sys   *sim.System
		nodes int
		walks int
		least int
	}{
		{"small", jointree.System, 4, 60_000, 0},
		{"randtree", randtree.System, 5, 20_000, 0},
		{"randtree-long", randtree.System, 5, 1_000, 10_000},
	} {
		b.Run(s.name, func(b *testing.B) {
			var wall, spent [2]time.Duration
			opts := Options{Depth: 1, Walks: s.walks, WalkLeast: s.least}
			var err error
			if opts.Params, err = s.sys.Configure(s.nodes, nil, nil); err != nil {
				b.Fatal(err)
			}
			alone, shared := time.Duration(0), time.Duration(0)
			for b.Loop() {
				for i := range wall {
					opts.Workers = 1 + i
					cpu, began := Processor(), time.Now()
					exhausted(b, s.sys, opts)
					wall[i], spent[i] = wall[i]+time.Since(began), spent[i]+Processor()-cpu
				}
				one, two := givenOut(b, s.sys, opts)
				alone, shared = alone+one, shared+two
			}
			b.ReportMetric(wall[0].Seconds()/float64(b.N), "s-by-one")
			b.ReportMetric(wall[1].Seconds()/float64(b.N), "s-by-two")
			b.ReportMetric(float64(wall[0])/float64(wall[1]), "ratio")
			b.ReportMetric(float64(spent[1])/float64(spent[0]), "cpu-ratio")
			b.ReportMetric(float64(alone)/float64(shared), "given-out-ratio")
		})
	}
}

// givenOut takes the walks of a search on one thread, and measures the processor time of each. It
// returns their sum, and the time that two workers would need: the next walk of a lot goes to the
// worker that is free first, and at the end of the lot they wait for each other.
func givenOut(b *testing.B, sys *sim.System, opts Options) (alone, shared time.Duration) {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := newRunner(sys, opts)
	if err != nil {
		b.Fatal(err)
	}
	s, how := walk.New(r.opts.Seed), r.strategy(nil)
	for i := 0; i < opts.Walks; {
		l, large := walk.NextLot(i, opts.Walks, &r.share)
		var busy [2]time.Duration
		for ; i < l.To; i++ {
			at := threadTime()
			if looked, _, err := r.walk(s, how.Plan(i, r.length()), l.Careful(i)); looked || err != nil {
				b.Fatalf("walk %d of a correct system needs a look: %v", i, err)
			}
			took := threadTime() - at
			alone += took
			free := 0
			if large && busy[1] < busy[0] {
				free = 1
			}
			busy[free] += took
		}
		shared += max(busy[0], busy[1])
	}
	return alone, shared
}

// threadTime is the processor time of this thread.
func threadTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
