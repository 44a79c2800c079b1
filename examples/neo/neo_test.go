package neo

import (
	"testing"

	"macemc/internal/long"
	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

// One of four crashes, and starts again without its memory: all accept a block, the same.
func TestOneRestarts(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}, Depth: 3, Walks: 60})
}

// One of four that fails for good may halt the others: see docs/found.md.
func TestFindsTheHalt(t *testing.T) {
	if !*long.On {
		t.Skip("it takes 25 s")
	}
	macetest.Run(t, System, macetest.Options{Depth: 3, WalkSteps: 3_000, Walks: 1_000, Expect: trace.VerdictDead, NoShrink: true})
}

// One of four is two validators that propose different blocks: nobody accepts two. That the
// others may halt stands in docs/found.md.
func TestTwins(t *testing.T) {
	macetest.Run(t, System, macetest.Options{
		Conditions: sim.Conditions{Faults: new(sim.Faults), Byzantine: "twins@n1", Properties: []string{"all accept the same block"}},
		Params:     []string{"proposals=either"}, Depth: 4, Walks: 60,
	})
}
