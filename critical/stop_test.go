package critical_test

import (
	"sync/atomic"
	"testing"

	"macemc/critical"
	"macemc/search"
	"macemc/sim"
)

// A walk that would go on for long is left when there is to be a stop.
func TestStopWithinWalks(t *testing.T) {
	var states, before atomic.Int64
	sys := ring()
	f := unlucky(t, sys, 500)
	sys.Properties = append(sys.Properties, sim.Always("counted", func(sim.View[*ringer]) bool { states.Add(1); return true }))
	opts := critical.Options{Exhaust: -1, Search: search.Options{Workers: 2, WalkSteps: 1_000_000, MaxWalkSteps: 1_000_000}}
	opts.Search.Stop = func() search.Stop {
		if n := states.Load(); n > 20_000 {
			before.CompareAndSwap(0, n)
			return search.StopTime
		}
		return ""
	}
	r, err := critical.Find(sys, f, opts)
	if n := states.Load() - before.Load(); err != nil || !r.Stopped || n > 10_000 {
		t.Errorf("%v, %+v; %d states were looked at after it was told to stop", err, r, n)
	}
}

// Who is told to stop does so at once, in the middle of walks that would go on for
// long, and leaves a finding that can be told: with a critical step of its own run,
// or without one.
func TestStop(t *testing.T) {
	sys := ring()
	f := unlucky(t, sys, 500)
	opts := critical.Options{Exhaust: -1, Search: search.Options{Workers: 2, Walks: 12, WalkSteps: 5_000, MaxWalkSteps: 5_000}}
	for _, after := range []int64{1, 30, 100, 300, 1_000, 3_000} {
		var asked, late atomic.Int64
		opts.Search.Stop = func() search.Stop {
			if asked.Add(1) > after {
				late.Add(1)
				return search.StopTime
			}
			return ""
		}
		r, err := critical.Explain(sys, f, opts, true)
		if err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		got := r.Finding
		t.Logf("after %d: %d steps, critical %+v, stopped %v", after, len(got.Path.Steps), got.Critical, r.Stopped)
		if late.Load() == 0 && r.Stopped || late.Load() > 0 && !r.Stopped {
			t.Errorf("after %d: stopped is %v", after, r.Stopped)
		}
		if c := got.Critical; c != nil && (c.Step > len(got.Path.Steps) || c.Step > 0 && got.Path.Steps[c.Step-1].Event.What != c.Event) {
			t.Errorf("after %d: critical is %+v, of %d steps", after, c, len(got.Path.Steps))
		}
		if again, err := search.Replay(sys, got.Path, search.Options{WalkSteps: 1_000}); err != nil || !again.Reproduced {
			t.Errorf("after %d: it does not come to the same: %v", after, err)
		}
	}
}
