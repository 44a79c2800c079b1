package search

import (
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/sim"
)

// TestReducedSystems: on every system, with none of its known bugs and with each, a search that
// leaves steps out comes to the same verdict about the same property as one that takes all.
func TestReducedSystems(t *testing.T) {
	met := map[string]int{}
	cases := 0
	for _, sys := range catalog.Systems() {
		all := []sim.BugID{""}
		for _, b := range sys.Bugs {
			all = append(all, b.ID)
		}
		for _, bug := range all {
			if cases++; cases%5 != 0 && !*long.On {
				continue
			}
			var bugs []string
			if bug != "" {
				bugs = append(bugs, string(bug))
			}
			params, err := sys.Configure(0, nil, bugs)
			if err != nil {
				t.Fatal(err)
			}
			for _, faults := range []*sim.Faults{{}, {Crash: 1}}[:long.Of(1, 2)] {
				if faults.Crash > 0 && !sys.Tolerates.IsZero() && sys.Tolerates.Crash == 0 {
					continue
				}
				reducedSystem(t, sys, Options{Params: params, Conditions: sim.Conditions{Faults: faults}}, met)
			}
		}
	}
	t.Log(met)
	for _, what := range []string{"exhausted", "unhandled", "safety", "smaller"} {
		if met[what] == 0 {
			t.Errorf("no search is %q: %v", what, met)
		}
	}
}

func reducedSystem(t *testing.T, sys *sim.System, opts Options, met map[string]int) {
	t.Helper()
	opts.NoWalks, opts.once, opts.Workers, opts.Effort = true, true, 1, long.Of(2_000, 2_000_000)
	opts.ExplainEffort = 1
	opts.Reduce = ReduceNone
	whole, err := Search(sys, opts)
	if err != nil {
		if strings.Contains(err.Error(), "cannot") {
			return
		}
		t.Fatalf("%s: %v", sys.Name, err)
	}
	if whole.Stop == StopDepth { // the two would go to other depths
		met["too large"]++
		return
	}
	opts.Effort = 1 << 30
	for _, opts.Reduce = range []Reduce{ReduceStubborn, ReduceAuto} {
		opts.trial = 16
		part, err := Search(sys, opts)
		switch {
		case err != nil && strings.Contains(err.Error(), "leaves no steps out"), err == nil && part.Stats.Unreduced != "":
			met["refused"]++
		case err != nil:
			t.Fatalf("%s: %v", sys.Name, err)
		default:
			met["reduced"]++
			met["tried"] += min(1, part.Stats.Whole)
			comparesResults(t, sys, opts, whole, part, met)
		}
	}
}

// comparesResults compares the result of a search of the reduced space with that of the whole one.
func comparesResults(t *testing.T, sys *sim.System, opts Options, whole, part *Result, met map[string]int) {
	t.Helper()
	bugs := opts.Params.Bugs()
	if whole.Verdict() != part.Verdict() || whole.Finding != nil && whole.Finding.Property != part.Finding.Property {
		t.Errorf("%s %v: %s %v, and by the reduction %s %v", sys.Name, bugs, whole.Verdict(), whole.Finding, part.Verdict(), part.Finding)
	}
	if whole.Safety.State != part.Safety.State || whole.Liveness.State != part.Liveness.State {
		t.Errorf("%s %v: safety %s, liveness %s, and by the reduction %s, %s", sys.Name, bugs, whole.Safety.State, whole.Liveness.State, part.Safety.State, part.Liveness.State)
	}
	if whole.Finding == nil {
		met["exhausted"]++
		if part.Stats.States < whole.Stats.States {
			met["smaller"]++
		}
		t.Logf("%s %s %v: %d states, of which %d were visited", sys.Name, opts.Faults, bugs, whole.Stats.States, part.Stats.States)
	} else {
		met[whole.Verdict().String()]++
		t.Logf("%s %s %v: %s after %d states, and after %d", sys.Name, opts.Faults, bugs, whole.Verdict(), whole.Stats.States, part.Stats.States)
	}
}

// TestAutoPays: with ReduceAuto, a search leaves out steps of a large space if that pays. If it tries to and it does not
// pay, all counts are the same as those of a search that takes all steps.
func TestAutoPays(t *testing.T) {
	for name, pays := range map[string]bool{"paxos": true, "storage": false} {
		sys, err := catalog.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Conditions: sim.Conditions{Faults: &sim.Faults{}}, NoWalks: true, Depth: 100, Workers: 1, once: true}
		var params []string
		if !pays {
			params = []string{"answers=quorum"}
		}
		got := search(t, sys, 0, params, opts)
		opts.Reduce = ReduceNone
		whole := search(t, sys, 0, params, opts)
		if got.Safety.State != whole.Safety.State || got.Liveness.State != whole.Liveness.State {
			t.Errorf("%s: %+v, %+v, and %+v, %+v with all steps", name, got.Safety, got.Liveness, whole.Safety, whole.Liveness)
		}
		if pays && (got.Stats.Whole == 0 || 5*got.Stats.States > whole.Stats.States) {
			t.Errorf("%s: %d states of %d were visited, and that begins to pay after %d", name, got.Stats.States, whole.Stats.States, got.Stats.Whole)
		}
		if !pays && got.Stats != whole.Stats {
			t.Errorf("%s: the counts are\n%+v, and\n%+v if nothing is tried", name, got.Stats, whole.Stats)
		}
	}
}
