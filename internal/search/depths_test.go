package search

import (
	"fmt"
	"math"
	"testing"

	"macemc/internal/catalog"
	"macemc/sim"
)

// TestDepths prints the depths to which searches of randtree with three nodes and a crash come in 120 seconds of
// processor time, times the flag, with and without a reduction. It leaves out System.Within, which counts messages,
// and the properties, which read the whole of every node: with them, a reduction is refused.
func TestDepths(t *testing.T) {
	if *tables == 0 {
		t.Skip("it only measures; see make tables")
	}
	randtree, err := catalog.Find("randtree")
	if err != nil {
		t.Fatal(err)
	}
	sys := *randtree
	sys.Within, sys.Properties = sim.Constraint{}, nil
	params, err := sys.Configure(3, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	limit := 120 * float64(*tables)
	fmt.Println("<!-- table depths -->\n| `--reduce` | every state to depth | states | steps | seconds | no step left out of | most frequent reason |\n|---|---:|---:|---:|---:|---:|---|")
	for _, how := range []Reduce{ReduceNone, ReduceStubborn} {
		began := Processor().Seconds()
		res, err := Search(&sys, Options{
			Params: params, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}, NoWalks: true, Workers: 1, Effort: math.MaxInt, Memory: 4 << 30,
			Reduce: how, once: true,
			Stop: func() Stop {
				if Processor().Seconds()-began > limit {
					return StopTime
				}
				return ""
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		of := res.Stats
		fmt.Printf("| `%s` | %d | %s | %s | %.0f | %s | %s |\n", how, res.Safety.Depth, grouped(of.States), grouped(of.Transitions), Processor().Seconds()-began, grouped(of.Entire), of.Hindrance)
	}
	fmt.Println("<!-- end of table depths -->")
}
