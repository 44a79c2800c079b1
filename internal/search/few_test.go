package search

import (
	"testing"

	"macemc/sim"
	"macemc/systems/handshake"
)

// If a system declares that it survives many faults, the exhaustive phase still gets deep: its runs
// have at most two faults, with each engine, and the result says so. Budgets or a depth that the
// user sets are not reduced.
func TestFewFaults(t *testing.T) {
	sys := *handshake.System
	sys.Tolerates = sim.Faults{Loss: 3, Dup: 3}
	take := func(opts Options) *Result {
		res, err := Search(&sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	var of []Stats
	for _, e := range []Engine{EngineLocal, EngineMemo} {
		res := take(Options{Engine: e, NoWalks: true, Workers: 1})
		if res.Safety.Faults != 2 || res.Safety.State != StateBounded {
			t.Errorf("by %s: %+v", e, res.Safety)
		}
		of = append(of, res.Stats)
	}
	asked := take(Options{NoWalks: true, Workers: 1, Conditions: sim.Conditions{Faults: &sys.Tolerates}})
	deep := take(Options{Depth: of[0].Depth, NoWalks: true, Workers: 1})
	if asked.Safety.Faults != 0 || deep.Safety.Faults != 0 {
		t.Errorf("with budgets that were asked for: %+v, with a depth: %+v", asked.Safety, deep.Safety)
	}
	if of[0].States != of[1].States || of[0].Transitions != of[1].Transitions || of[0].States >= asked.Stats.States {
		t.Errorf("states %d and %d, transitions %d and %d; with all faults %d states", of[0].States, of[1].States, of[0].Transitions, of[1].Transitions, asked.Stats.States)
	}
}
