package trace_test

import (
	"fmt"

	"macemc/sim"
	"macemc/trace"
)

// The facts of a run are what its nodes emitted, in order.
func ExampleTrace_Facts() {
	n0 := sim.Params{Nodes: 1}.Addr(0)
	ran := trace.Trace{Steps: []trace.Step{{
		Index: 1, Node: n0, Event: sim.Event{Node: n0, Kind: sim.KindScript},
		Effects: []trace.Effect{{Kind: trace.EffectEmit, Value: "stored 7"}},
	}}}
	for _, f := range ran.Facts() {
		fmt.Printf("step %d: %s says %q\n", f.Step, f.At, f.Fact)
	}
	// Output: step 1: n0 says "stored 7"
}
