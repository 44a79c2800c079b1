package brokentree

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

// The correct service always becomes a tree, or can still become one.
func TestCorrect(t *testing.T) {
	for _, c := range []struct {
		nodes    int
		children string
		walks    int
	}{
		{2, "children=1", long.Of(200, 1_000)},
		{3, "children=1", long.Of(200, 2_000)},
		{3, "children=2", long.Of(500, 5_000)},
		{3, "children=12", long.Of(200, 1_000)},
	} {
		t.Run(fmt.Sprintf("%d nodes, %s", c.nodes, c.children), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Nodes: c.nodes, Params: []string{c.children}, Walks: c.walks})
		})
	}
}

// With BT1 no tree ever forms, and no loop is reported: every node is a root.
func TestBT1(t *testing.T) {
	for seed := range uint64(5) {
		macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{BT1}, Expect: trace.VerdictDead, Seed: 1 + seed})
	}
}

// BT2 is found by visiting all states, and by walks alone.
func TestBT2(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{BT2}, Expect: trace.VerdictSafety})
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{BT2}, Expect: trace.VerdictSafety, Depth: 1})
}

// This is a path on which BT2 led to a loop, recorded before the bug was repaired. Without the bug it leads to
// no loop.
func TestBT2Recorded(t *testing.T) { macetest.Replay(t, System, "testdata/loop.path") }

// The package documents a limit: with four nodes a longer loop is possible.
func TestLongLoop(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Nodes: 4, Params: []string{"children=12"}, Depth: 1, Walks: 50_000, Expect: trace.VerdictSafety})
}
