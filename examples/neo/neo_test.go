package neo

import (
	"testing"

	"macemc/internal/long"
	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

// If one of four validators crashes and starts again without its memory, all accept one and the same block.
func TestOneRestarts(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}, Depth: 3, Walks: 60})
}

// If one of four validators fails for good, the others may halt: see docs/found.md.
func TestFindsTheHalt(t *testing.T) {
	if !*long.On {
		t.Skip("it takes 25 s")
	}
	macetest.Run(t, System, macetest.Options{Depth: 3, WalkSteps: 3_000, Walks: 1_000, Expect: trace.VerdictDead, NoShrink: true})
}

// If one of four validators is two under one address, which propose different blocks, no two blocks are
// accepted. The others may halt, as docs/found.md says.
func TestTwins(t *testing.T) {
	macetest.Run(t, System, macetest.Options{
		Conditions: sim.Conditions{Faults: new(sim.Faults), Byzantine: "twins@n1", Properties: []string{"all accept the same block"}},
		Params:     []string{"proposals=either"}, Depth: 4, Walks: 60,
	})
}
