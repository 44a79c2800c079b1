package jointree

import (
	"testing"

	"macemc/choose"
	"macemc/sim"
)

// From wherever a walk is, all nodes find a parent.
func TestCorrect(t *testing.T) {
	for _, c := range []struct {
		nodes   int
		ballast string
		many    int
	}{
		{2, "ballast=none", 1_000},
		{3, "ballast=none", 2_000},
		{4, "ballast=none", 10_000},
		{8, "ballast=none", 500},
		{4, "ballast=1KB", 500},
		{4, "ballast=20KB", 20},
	} {
		longest := 0
		walks(t, System, c.nodes, []string{c.ballast}, nil, c.many, func(w *sim.World, r run) bool {
			longest = max(longest, r.steps)
			if r.failure != nil {
				t.Errorf("%d nodes, %s: %s: %s", c.nodes, c.ballast, r.failure.Property, r.failure.Message)
			} else if !r.live {
				t.Errorf("%d nodes, %s: not live after %d steps: %v", c.nodes, c.ballast, r.steps, w.Lines())
			}
			return !t.Failed()
		})
		t.Logf("%d nodes, %s: at most %d steps", c.nodes, c.ballast, longest)
	}
}

// A walk takes the same steps, and tells the same states apart, with every
// ballast.
func TestBallastChangesNoCount(t *testing.T) {
	var counts [3]int
	for i, ballast := range Ballast.Words {
		params, err := System.Configure(0, []string{"ballast=" + ballast}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.NewWorld(System, params, sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		source, seen := choose.NewWalk(7), map[any]bool{}
		if f := w.Protect(func() {
			for w.Start(source); w.Steps() < 5_000; w.Step(source) {
				seen[w.Hash()] = true
			}
		}); f != nil {
			t.Fatalf("%+v", f)
		}
		counts[i] = len(seen)
	}
	if counts[0] != counts[1] || counts[0] != counts[2] || counts[0] < 1_000 {
		t.Errorf("distinct states in 5,000 steps: %v", counts)
	}
	t.Log(counts)
}

// Handlers and properties allocate nothing: what is left is the World's, for
// queues that were never so long and for the questions of coins.
func TestNoAllocation(t *testing.T) {
	params, err := System.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.NewWorld(System, params, sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	source := choose.NewWalk(3)
	each := testing.AllocsPerRun(20, func() {
		w.Protect(func() {
			const again = 2_000
			start := w.Steps()
			if start == 0 || start > 100*again {
				source.Restart(3, 0)
				w.Start(source)
				start = 0
			}
			for w.Steps() < start+again {
				w.Step(source)
				w.Check()
				w.Live()
			}
		})
	})
	if each > 100 {
		t.Errorf("%v allocations in 2,000 steps", each)
	}
	t.Logf("%v allocations in 2,000 steps", each)
}
