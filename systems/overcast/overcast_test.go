package overcast

import (
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

func find(t *testing.T, nodes int, settings []string, opts search.Options, bugs ...string) *search.Result {
	t.Helper()
	var err error
	if opts.Params, err = System.Configure(nodes, settings, bugs); err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(System, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With three nodes, and a fault of either kind at any step, no state has a loop, and a tree can form from every
// state. These are all states, and not a sample.
func TestSpace(t *testing.T) {
	for _, c := range []struct {
		name, children string
		faults         sim.Faults
		states         int
	}{
		{"no fault", "children=2", sim.Faults{}, 4_151},
		{"a crash", "children=2", sim.Faults{Crash: 1}, 117_036},
		{"a reset", "children=2", sim.Faults{Reset: 1}, 88_478},
		{"sent on", "children=1", sim.Faults{Crash: 1, Reset: 1}, 76_324},
	}[:long.Of(1, 4)] {
		r := find(t, 3, []string{c.children}, search.Options{Conditions: sim.Conditions{Faults: &c.faults}, Depth: 1 << 20, NoWalks: true})
		if f := r.Finding; f != nil {
			t.Errorf("%s: %s: %s: %s", c.name, f.Verdict, f.Property, f.Message)
			continue
		}
		if r.Safety.State != search.StateExhausted || r.Liveness.State != search.StateExhausted || r.Stats.States != c.states {
			t.Errorf("%s: safety %s, liveness %s, %d states; want %d, exhausted", c.name, r.Safety.State, r.Liveness.State, r.Stats.States, c.states)
		}
		if !c.faults.IsZero() && len(r.Never) > 0 {
			t.Errorf("%s: never exercised: %q", c.name, r.Never)
		}
	}
}

// Walks find nothing with more nodes, and with more faults than the service promises to survive.
func TestWalks(t *testing.T) {
	for _, c := range []struct {
		nodes    int
		children string
		faults   sim.Faults
	}{
		{4, "children=1", System.Tolerates},
		{5, "children=2", System.Tolerates},
		{6, "children=2", sim.Faults{Crash: 2, Reset: 3, Partition: 1}},
	} {
		r := find(t, c.nodes, []string{c.children}, search.Options{Conditions: sim.Conditions{Faults: &c.faults}, Depth: 1, Paths: 600})
		if f := r.Finding; f != nil {
			t.Errorf("%d nodes, %s, %s: %s: %s: %s", c.nodes, c.children, c.faults, f.Verdict, f.Property, f.Message)
		}
		if len(r.Never) > 0 {
			t.Errorf("%d nodes, %s, %s: never exercised: %q", c.nodes, c.children, c.faults, r.Never)
		}
	}
}

// A lock that is never released leaves a node without a parent for ever. That needs a fault, by which the
// message that would release the lock is lost.
func TestOV1(t *testing.T) {
	none := sim.Faults{}
	if f := find(t, 3, nil, search.Options{Conditions: sim.Conditions{Faults: &none}, Depth: 1 << 20}, string(OV1)).Finding; f != nil {
		t.Errorf("without a fault: %s: %s", f.Verdict, f.Message)
	}
	f := find(t, 3, nil, search.Options{Depth: 1}, string(OV1)).Finding
	if f == nil || f.Verdict != trace.VerdictDead || f.Critical == nil || f.Critical.Step == 0 {
		t.Fatalf("found is %+v", f)
	}
}

// An answer that is taken for another one needs a reset. The space is small, and all of it is visited.
func TestOV2(t *testing.T) {
	f := find(t, 3, nil, search.Options{Conditions: sim.Conditions{Faults: &sim.Faults{Reset: 1}}, Depth: 1 << 20, NoWalks: true}, string(OV2)).Finding
	if f == nil || f.Verdict != trace.VerdictDead || f.Property != "children match parents" {
		t.Fatalf("found is %+v", f)
	}
}
