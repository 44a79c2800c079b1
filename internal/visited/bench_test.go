package visited

import (
	"flag"
	"fmt"
	"syscall"
	"testing"
	"time"

	"macemc/internal/canon"
)

var large = flag.Bool("large", false, "benchmark a table of 100 million states, too: 1 GB")

// state is the hash of the i-th of many states.
func state(i int) canon.Hash {
	x := uint64(i) * 0x9e3779b97f4a7c15
	return canon.Hash{Hi: mix(x), Lo: mix(^x)}
}

// cpuTime is the processor time of the whole process: on a shared machine it
// says more than the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTable measures one state: its first insertion, into a table that is
// filled from nothing to three quarters, page faults included, and the next,
// one by one and 16 together.
func BenchmarkTable(b *testing.B) {
	sizes := []int{1_000_000, 10_000_000}
	if *large {
		sizes = append(sizes, 100_000_000)
	}
	for _, n := range sizes {
		for _, how := range []struct {
			name string
			pass func(t *Table, n int, want Outcome)
		}{
			{"one", passOne},
			{"together", passTogether},
		} {
			b.Run(fmt.Sprintf("%dM/%s", n/1_000_000, how.name), func(b *testing.B) {
				var insert, hit time.Duration
				for b.Loop() {
					t, err := Make(Options{Bytes: n / 3 * 4 * 8, DepthBits: 10})
					if err != nil {
						b.Fatal(err)
					}
					start := cpuTime()
					how.pass(t, n, New)
					middle := cpuTime()
					how.pass(t, n, Known)
					hit += cpuTime() - middle
					insert += middle - start
					if err := t.Close(); err != nil {
						b.Fatal(err)
					}
				}
				per := float64(b.N) * float64(n)
				b.ReportMetric(float64(insert)/per, "cpu-ns/insert")
				b.ReportMetric(float64(hit)/per, "cpu-ns/hit")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func passOne(t *Table, n int, want Outcome) {
	for i := range n {
		if got := t.Insert(state(i), 7); got != want {
			panic(fmt.Sprintf("state %d is %s, not %s", i, got, want))
		}
	}
}

func passTogether(t *Table, n int, want Outcome) {
	var states [together]canon.Hash
	var outcomes [together]Outcome
	for i := 0; i < n; i += together {
		for k := range states {
			states[k] = state(i + k)
		}
		t.InsertAll(states[:], 7, outcomes[:])
		for k, got := range outcomes {
			if got != want {
				panic(fmt.Sprintf("state %d is %s, not %s", i+k, got, want))
			}
		}
	}
}
