package search

import (
	"sync/atomic"
	"testing"

	"macemc/internal/toy"
	"macemc/sim"
	"macemc/trace"
)

// The search does not repeat walks of scouts that find nothing, as the number of judged states
// shows, and reports their progress. It repeats a walk that fails, and makes a finding of it. Below
// a thousand walks there are no scouts.
func TestScoutsAreAhead(t *testing.T) {
	type cost struct {
		states, nodes, told int64
		found               *Finding
	}
	take := func(walks, workers int, does func(), only string) cost {
		t.Helper()
		var states, nodes, told atomic.Int64
		sys := hazards(does)
		made := sys.New
		sys.New = func(p sim.Params, self sim.Addr) sim.Node { nodes.Add(1); return made(p, self) }
		sys.Properties = append(sys.Properties, sim.Always("counted", func(sim.View[*hazard]) bool { states.Add(1); return true }))
		res, err := Search(sys, Options{
			Depth: 1, Walks: walks, WalkSteps: 500, Seed: 3, Workers: workers, Conditions: sim.Conditions{Properties: []string{"counted", only}},
			Progress: func(p Progress) {
				if p.Phase == PhaseWalks && p.Walks > 1_000 {
					told.Add(1)
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return cost{states.Load(), nodes.Load(), told.Load(), res.Finding}
	}
	const walks = 4_000
	alone, three := take(walks, 1, func() {}, "counted"), take(walks, 3, func() {}, "counted")
	if three.states > alone.states*5/4 || three.told == 0 || alone.found != nil || three.found != nil {
		t.Errorf("three workers cost %+v, and one %+v", three, alone)
	}
	alone, three = take(50, 1, func() {}, "counted"), take(50, 3, func() {}, "counted")
	if three != alone {
		t.Errorf("of few walks three workers cost %+v, and one %+v", three, alone)
	}
	if of := take(6_000, 3, func() {}, "not five"); of.found == nil || of.found.Verdict != trace.VerdictSafety {
		t.Errorf("found is %+v", of.found)
	}
}

// Progress reports PhaseSuspect while the search decides whether a run is dead.
func TestProgressReportsSuspects(t *testing.T) {
	told := map[Phase]bool{}
	res, err := Search(toy.MustParse(deadEnd), Options{Depth: 1, Workers: 1, Progress: func(p Progress) { told[p.Phase] = true }})
	if err != nil || res.Finding == nil || !told[PhaseSuspect] {
		t.Errorf("%v, found is %+v; told was of %v", err, res.Finding, told)
	}
}

// If a step is repeated, each repetition halves the chance that a coin with two sides escapes
// notice.
func TestEscape(t *testing.T) {
	for times, want := range map[int]float64{0: 1, 1: .5, 20: 1. / (1 << 20)} {
		if got := (Repeated{Times: times}).Escape(); got != want {
			t.Errorf("after %d times it is %g, want %g", times, got, want)
		}
	}
}
