//go:build linux

package search

import (
	"testing"
	"time"

	"macemc/internal/search/internal/walk"
	"macemc/sim"
	"macemc/systems/overcast"
	"macemc/systems/randtree"
)

// BenchmarkManners compares the processor time of a step in walks of each manner and in walks by
// weight. An operation is some walks of each, by turns, so that they meet the same noise. The walks
// are whole ones, as a search takes them. Those by weight alone spend most of their steps after the
// environment has healed, when a step costs less; so the benchmark also has walks by weight, called
// storms, that differ from those of auto only in how events are picked.
func BenchmarkManners(b *testing.B) {
	for _, c := range []struct {
		name     string
		sys      *sim.System
		nodes    int
		settings []string
		faults   sim.Faults
	}{
		{"randtree4", randtree.System, 4, []string{"children=1", "visitors=3"}, sim.Faults{Crash: 1}},
		{"randtree5", randtree.System, 5, []string{"children=1"}, sim.Faults{Crash: 2, Reset: 2, Partition: 1}},
		{"overcast", overcast.System, 0, []string{"children=1"}, sim.Faults{Reset: 2}},
	} {
		b.Run(c.name, func(b *testing.B) {
			params, err := c.sys.Configure(c.nodes, c.settings, nil)
			if err != nil {
				b.Fatal(err)
			}
			const storms = 4
			of := [...]Walking{WalkWeighted, WalkChain, WalkSwarm, WalkAuto, storms: "storms"}
			var runners [len(of)]*runner
			var walks [len(of)]*walk.Walk
			var steps [len(of)]int
			var spent [len(of)]time.Duration
			for m, w := range of {
				if m == storms {
					w = WalkAuto
				}
				if runners[m], err = newRunner(c.sys, Options{Params: params, Conditions: sim.Conditions{Faults: &c.faults}, Walking: w}); err != nil {
					b.Fatal(err)
				}
				walks[m] = walk.New(1)
			}
			const each = 2_000
			for op := 0; b.Loop(); op++ {
				for m, r := range runners {
					how, length, before := r.strategy(nil), r.length(), r.now().Steps
					if m == storms {
						how.(*walk.Portfolio).Manners = []walk.Manner{walk.ByWeight}
					}
					cpu := Processor()
					for i := range each {
						walks[m].Begin(how.Plan(op*each+i, length))
						if end, failure, _ := r.Run(walks[m], false); failure != nil {
							b.Fatalf("%s: %v, %v", of[m], end, failure)
						}
					}
					spent[m] += Processor() - cpu
					steps[m] += r.now().Steps - before
				}
			}
			rate := func(m int) float64 { return float64(steps[m]) / spent[m].Seconds() }
			for m, w := range of {
				if b.ReportMetric(rate(m)/1e6, string(w)+"-Msteps/s"); m > 0 {
					b.ReportMetric(rate(m)/rate(0), string(w)+"/weighted")
					b.ReportMetric(rate(m)/rate(storms), string(w)+"/storms")
				}
			}
		})
	}
}
