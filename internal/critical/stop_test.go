package critical_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/sim"
)

// TestStopWithinWalks: if the caller asks to stop, a long walk ends soon.
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

// TestStop: if the caller asks to stop, the work ends soon, even during long walks. Its result is a finding that
// can be reported: with a critical step of its own run, or without one.
func TestStop(t *testing.T) {
	sys := ring()
	f := unlucky(t, sys, 500)
	opts := critical.Options{Exhaust: -1, Search: search.Options{Workers: 2, EvidenceWalks: 12, WalkSteps: 5_000, MaxWalkSteps: 5_000}}
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

// TestEffort: the work on a finding is limited by a number of steps and not by time. So the result is the same
// for any number of workers, wherever the limit ends the work.
func TestEffort(t *testing.T) {
	sys := ring()
	f := unlucky(t, sys, 300)
	var states atomic.Int64
	sys.Properties = append(sys.Properties, sim.Always("counted", func(sim.View[*ringer]) bool { states.Add(1); return true }))
	lengths := map[int]bool{}
	for _, effort := range []int{500, 20_000, 60_000, 200_000} {
		first := ""
		for _, workers := range []int{1, 3} {
			states.Store(0)
			r, err := critical.Explain(sys, f, critical.Options{Exhaust: -1, Effort: effort, Search: search.Options{Workers: workers, EvidenceWalks: 12, WalkSteps: 500}}, true)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if c := r.Finding.Critical; c != nil {
				fmt.Fprintln(&b, c.Header(), c.Witness, r.Finding.Evidence)
			}
			fmt.Fprintln(&b, r.Stopped)
			if _, err := r.Finding.Path.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
			lengths[len(r.Finding.Path.Steps)] = true
			if first == "" {
				first = b.String()
			}
			if b.String() != first {
				t.Errorf("effort %d: %d workers come to\n%s\none to\n%s", effort, workers, b.String(), first)
			}
			if n := int(states.Load()); n > 3*effort+100_000 {
				t.Errorf("effort %d: %d states were looked at", effort, n)
			}
		}
	}
	if len(lengths) < 2 {
		t.Errorf("no bound has cut the work short: all runs have the lengths %v", lengths)
	}
}

// If the work is stopped while a run is made shorter, the result is the run cut off after its
// critical step, with the evidence for that step.
func TestStopLeavesTheCut(t *testing.T) {
	sys := ring()
	f := unlucky(t, sys, 500)
	opts := critical.Options{Exhaust: -1, NoLive: true, Search: search.Options{Workers: 1, EvidenceWalks: 12, WalkSteps: 500, MaxWalkSteps: 500}}
	found, err := critical.Find(sys, f, opts)
	if err != nil || found.Finding.Critical == nil || found.Finding.Evidence == nil {
		t.Fatal(err, found)
	}
	step, whole := found.Finding.Critical.Step, len(f.Path.Steps)
	if step == whole {
		t.Fatalf("the critical step is the last of %d: nothing can be cut off", whole)
	}
	cut := 0
	for after := int64(1); after < 2_000_000; after *= 2 {
		var asked atomic.Int64
		opts.Search.Stop = func() search.Stop {
			if asked.Add(1) > after {
				return search.StopTime
			}
			return ""
		}
		r, err := critical.Shrink(sys, found.Finding, opts)
		if err != nil {
			t.Fatal(err)
		}
		n := len(r.Finding.Path.Steps)
		t.Logf("after %d: %d of %d steps, stopped %v", after, n, whole, r.Stopped)
		if told := asked.Load() > after; told != r.Stopped {
			t.Errorf("after %d: told to stop: %v, and stopped: %v", after, told, r.Stopped)
		}
		if !r.Stopped {
			break
		}
		if n == step {
			cut++
			if c := r.Finding.Critical; c == nil || c.Step != step || r.Finding.Evidence == nil || r.Finding.Evidence.From != step {
				t.Errorf("the cut is known by %+v, %+v", c, r.Finding.Evidence)
			}
			if again, err := search.Replay(sys, r.Finding.Path, search.Options{WalkSteps: 1_000}); err != nil || !again.Reproduced {
				t.Errorf("the cut does not come to the same: %v", err)
			}
		}
	}
	if cut == 0 {
		t.Error("no stop has left the run cut off behind its critical step")
	}
}

// If only shrinking is stopped, the result is the shortest run found so far, which is shorter
// than the run cut off after its critical step.
func TestEnoughLeavesTheShortest(t *testing.T) {
	sys := ring()
	opts := critical.Options{Exhaust: -1, NoLive: true, Search: search.Options{Workers: 1, EvidenceWalks: 12, WalkSteps: 500, MaxWalkSteps: 500}}
	found, err := critical.Find(sys, unlucky(t, sys, 500), opts)
	if err != nil || found.Finding.Critical == nil {
		t.Fatal(err, found)
	}
	tries := 0
	opts.Enough = func() bool { tries++; return tries > 8 }
	r, err := critical.Shrink(sys, found.Finding, opts)
	if err != nil || !r.Stopped {
		t.Fatal(err, r)
	}
	if n, cut := len(r.Finding.Path.Steps), found.Finding.Critical.Step; n >= cut {
		t.Errorf("%d steps are left, and %d are to the critical step", n, cut)
	}
}
