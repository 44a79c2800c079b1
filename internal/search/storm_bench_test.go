package search

import (
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/handshake"
	"macemc/systems/simtcp"
)

// BenchmarkStorm measures a step of a walk, with the evaluation of the safety properties. There are
// three cases: no faults are allowed; faults are allowed, but do not happen; faults are as likely as
// other events, with unlimited budgets, so that they go on happening.
func BenchmarkStorm(b *testing.B) {
	const length = 100
	busy := []string{"messages=1000"}
	for _, s := range []struct {
		name     string
		sys      *sim.System
		nodes    int
		settings []string
		faults   sim.Faults
	}{
		{"simtcp", simtcp.System, 2, busy, sim.Faults{Crash: sim.Unlimited, Reset: sim.Unlimited}},
		{"simtcp3", simtcp.System, 3, busy, sim.Faults{Crash: sim.Unlimited, Reset: sim.Unlimited, Partition: sim.Unlimited}},
		{"brokentree", brokentree.System, 3, nil, sim.Faults{Reset: sim.Unlimited, Partition: sim.Unlimited}},
		{"handshake", handshake.System, 2, nil, sim.Faults{Loss: sim.Unlimited, Dup: sim.Unlimited, Reorder: sim.Unlimited}},
	} {
		for _, do := range []struct {
			name           string
			allowed, storm bool
		}{{"none", false, false}, {"allowed", true, false}, {"storm", true, true}} {
			b.Run(s.name+"/"+do.name, func(b *testing.B) {
				params, err := s.sys.Configure(s.nodes, s.settings, nil)
				if err != nil {
					b.Fatal(err)
				}
				w, err := world.New(s.sys, params, world.Config{})
				if err != nil {
					b.Fatal(err)
				}
				if do.allowed {
					w.Environ.Allow(s.faults, nil)
				}
				src := choose.NewWalk(1)
				b.ReportAllocs()
				cpu := Processor()
				for i, walk := 0, uint64(0); i < b.N; walk++ {
					src.Restart(1, walk)
					src.Rare, src.Uniform = do.storm, do.storm
					w.Protect(func() { // a service that fails under faults ends its walk
						w.Start(src)
						for range length {
							if w.Step(src) != world.Stepped {
								break
							}
							i++
							if w.Judge.Check() != nil {
								break
							}
						}
						i++ // the start counts as a step, or a quiet start would be for ever
					})
				}
				b.ReportMetric(float64(Processor()-cpu)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
