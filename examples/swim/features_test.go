package swim

import (
	"syscall"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// BenchmarkFeatures is what each feature of the contract costs a walk of this service: the
// processor time of a step with the feature beside that of a step without, by turns. Walks of the
// service alone check nothing.
//
// BENCHMARKS.md has the table, with a reason for each ratio above 1.3.
func BenchmarkFeatures(b *testing.B) {
	property := func(i int) func(*sim.System) {
		return func(s *sim.System) { s.Properties = append(s.Properties, System.Properties[i]) }
	}
	for _, f := range []struct {
		name string
		with func(s *sim.System)
	}{
		{"nothing", func(*sim.System) {}},
		{"Steps", property(0)},
		{"Always", property(1)},
		{"Monitor", property(2)},
		{"Eventually", property(3)},
		{"Sometimes", func(s *sim.System) {
			s.Properties = append(s.Properties, sim.Sometimes("all are known to be alive", allAlive))
		}},
		{"Clock", func(s *sim.System) { s.Clock = func(sim.Params) *sim.Clock { return new(sim.Clock) } }},
		{"all of its own", func(s *sim.System) { s.Properties = System.Properties }},
	} {
		b.Run(f.name, func(b *testing.B) {
			alone := *System
			alone.Properties = nil
			with := alone
			f.with(&with)
			plain, fancy := walker(b, &alone), walker(b, &with)
			var before, after time.Duration
			for i := range b.N {
				before += plain(uint64(i))
				after += fancy(uint64(i))
			}
			b.ReportMetric(float64(before.Nanoseconds())/float64(b.N*stepsOfWalk), "ns/step-without")
			b.ReportMetric(float64(after.Nanoseconds())/float64(b.N*stepsOfWalk), "ns/step-with")
			b.ReportMetric(after.Seconds()/before.Seconds(), "ratio")
		})
	}
}

const stepsOfWalk = 500

// walker returns a function that takes a walk, and returns its processor time.
func walker(b *testing.B, sys *sim.System) func(i uint64) time.Duration {
	p, err := sys.Configure(3, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	w, err := world.New(sys, p, world.Config{})
	if err != nil {
		b.Fatal(err)
	}
	walk := choose.NewWalk(1)
	return func(i uint64) time.Duration {
		walk.Restart(1, i)
		began := spent(b)
		if f := w.Protect(func() {
			for w.Start(walk); w.Judge.Check() == nil && w.Run.Steps() < stepsOfWalk && w.Step(walk) == world.Stepped; {
				w.Judge.Live()
			}
		}); f != nil {
			b.Fatal(f.Message)
		}
		return spent(b) - began
	}
}

func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
