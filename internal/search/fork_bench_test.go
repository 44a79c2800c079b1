package search

import (
	"testing"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/jointree"
)

// BenchmarkRecovers compares a step of two kinds of walks of the same length, by turns: those that
// look for a critical transition, each of which begins at a restored state, and those of a search,
// which begin at the start. The state is 1,000 steps deep. A liveness property that never holds
// makes all walks take all their steps.
func BenchmarkRecovers(b *testing.B) {
	const deep, steps = 1_000, 1_000
	for _, s := range []struct {
		name string
		of   *sim.System
	}{{"brokentree", brokentree.System}, {"small", jointree.System}} {
		sys := *s.of
		sys.Assume = sim.Constraint{}
		sys.Properties = append([]sim.Property{sim.Eventually("never", func(sim.View[sim.Node]) bool { return false })}, sys.Properties...)
		r, err := newRunner(&sys, Options{WalkSteps: steps})
		if err != nil {
			b.Fatal(err)
		}
		kept := &recorded{begun(3, deep), nil}
		kept.record = choose.NewRecord(kept.Walk)
		if _, _, w := r.Run(kept, false); w.Run.Steps() != deep {
			b.Fatalf("a walk of %d steps", w.Run.Steps())
		}
		k, err := r.ForkAt(kept.record.Path(), run.Fair, deep)
		if err != nil || k.At == nil {
			b.Fatal(k, err)
		}
		for _, from := range []struct {
			name string
			plan walk.Plan
		}{
			{"walk", walk.Plan{Climate: run.Fair, Length: walk.Length{Most: steps}}},
			{"recovers", r.walkFrom(k, run.Fair)},
		} {
			b.Run(s.name+"/"+from.name, func(b *testing.B) {
				cpu, before := Processor(), r.now().Steps
				s := walk.New(1)
				for i := uint64(0); r.now().Steps-before < b.N; i++ {
					from.plan.Number = i
					s.Begin(from.plan)
					if end, _, _ := r.Run(s, false); end != run.EndLeft {
						b.Fatal("a walk came to an end")
					}
				}
				b.ReportMetric(float64(Processor()-cpu)/float64(r.now().Steps-before), "cpu-ns/step")
			})
		}
	}
}
