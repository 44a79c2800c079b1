package brokentree

import (
	"testing"

	"macemc/sim"
)

// From wherever a walk of the correct service is, it becomes a tree.
func TestCorrect(t *testing.T) {
	for _, c := range []struct {
		nodes    int
		children string
		many     int
	}{
		{2, "children=1", 1_000},
		{3, "children=1", 10_000},
		{3, "children=2", 20_000},
		{3, "children=12", 1_000},
	} {
		longest := 0
		walks(t, System, c.nodes, []string{c.children}, nil, c.many, func(w *sim.World, r run) bool {
			longest = max(longest, r.steps)
			if r.failure != nil {
				t.Errorf("%d nodes, %s: %s: %s", c.nodes, c.children, r.failure.Property, r.failure.Message)
			} else if !r.live {
				t.Errorf("%d nodes, %s: not live after %d steps: %v", c.nodes, c.children, r.steps, w.Lines())
			}
			return !t.Failed()
		})
		t.Logf("%d nodes, %s: at most %d steps", c.nodes, c.children, longest)
	}
}

// With BT1 no tree ever forms, and no loop is reported: every node is a root.
func TestBT1(t *testing.T) {
	walks(t, System, 3, nil, []string{string(BT1)}, 1_000, func(w *sim.World, r run) bool {
		if r.failure != nil {
			t.Fatalf("%s: %s", r.failure.Property, r.failure.Message)
		}
		if r.live {
			t.Fatal("live")
		}
		if w.Enabled() != 0 {
			t.Fatalf("%d events are possible, but nothing is left to do", w.Enabled())
		}
		_, why := w.NotLive()
		if len(why) != 1 || why[0] != "roots: n0, n1, n2" {
			t.Fatalf("not live because %q", why)
		}
		return true
	})
}

func TestBT2(t *testing.T) {
	found := 0
	walks(t, System, 3, nil, []string{string(BT2)}, 2_000, func(w *sim.World, r run) bool {
		if r.failure != nil {
			const says = "n1 has the parent n2, which has the parent n1"
			const or = "n2 has the parent n1, which has the parent n2"
			if m := r.failure.Message; m != says && m != or {
				t.Fatalf("%s: %s", r.failure.Property, m)
			}
			found++
		}
		return true
	})
	if found == 0 {
		t.Error("not found")
	}
	t.Logf("found by %d of 2,000 walks", found)
}

// The limit that the package tells: with four nodes a longer loop is possible.
func TestLongLoop(t *testing.T) {
	found := 0
	walks(t, System, 4, []string{"children=12"}, nil, 20_000, func(w *sim.World, r run) bool {
		if r.failure != nil {
			found++
		}
		return true
	})
	if found == 0 {
		t.Error("not found")
	}
	t.Logf("found by %d of 20,000 walks", found)
}
