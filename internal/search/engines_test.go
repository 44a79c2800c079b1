package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/sim"
	"macemc/systems/randtree"
	"macemc/systems/stopwait"
)

// TestEnginesAgree: on every system, all engines visit the same states and transitions, and have
// the same finding at the same depth. By default the test takes each system without faults and with
// one kind of faults, and its first bug with another kind; with -long it takes each bug with all
// kinds, and deeper.
func TestEnginesAgree(t *testing.T) {
	for s, sys := range catalog.Systems() {
		kinds := []string{"crash=1", "none", "reset=1,partition=1", "loss=1,dup=1,reorder=1"}
		for k, faults := range kinds {
			for b, bug := range append([]sim.Bug{{}}, sys.Bugs...) {
				if !*long.On && (b > 1 || (s+b)%len(kinds) != k) {
					continue // each system is taken with some of the combinations
				}
				var bugs []string
				if bug.ID != "" {
					bugs = append(bugs, string(bug.ID))
				}
				params, err := sys.Configure(0, nil, bugs)
				if err != nil {
					t.Fatal(err)
				}
				budgets, err := sim.ParseFaults(faults)
				if err != nil {
					t.Fatal(err)
				}
				t.Run(fmt.Sprintf("%s/%s/%v", sys.Name, faults, bugs), func(t *testing.T) { agree(t, sys, params, budgets) })
			}
		}
	}
}

func agree(t *testing.T, sys *sim.System, params sim.Params, faults sim.Faults) {
	t.Parallel()
	var first string
	depth := long.Of(3, 6)
	var only []string
	if !*long.On { // looking for runs that stay hot takes long with the reference engine
		for _, p := range sys.Properties {
			if p.Kind() != "cools" {
				only = append(only, p.Name)
			}
		}
		res, err := Search(sys, Options{Params: params, Conditions: sim.Conditions{Faults: &faults, Properties: only}, Depth: depth, Effort: effort, NoWalks: true, Workers: 1})
		if err == nil && res.Stop == StopDepth {
			depth = max(1, res.Safety.Depth)
		}
	}
	engines := []Engine{EngineReference, EngineLocal, EngineMemo}
	if faults.Loss == 0 && *long.On {
		engines = append(engines, "local, 3 workers", "memo, 3 workers")
	}
	for _, engine := range engines {
		opts := Options{Params: params, Conditions: sim.Conditions{Faults: &faults, Properties: only}, Engine: engine, Depth: depth, NoWalks: true, once: true, Workers: 1, team: 1}
		if name, _, several := strings.Cut(string(engine), ","); several {
			opts.Engine, opts.Workers = Engine(name), 3
		}
		res, err := Search(sys, opts)
		if err != nil {
			t.Skip(err) // a fault that cannot happen in this system
		}
		said := fmt.Sprintf("%s, %d states, %d transitions", res.Safety.State, res.Stats.States, res.Stats.Transitions)
		if f := res.Finding; f != nil { // the engines stop at different states of the last level, so their counts differ
			said = fmt.Sprintf("%s at step %d", f.Verdict, f.Step)
		}
		switch {
		case engine == EngineReference:
			first = said
		case said != first:
			t.Errorf("%s: %s; the reference: %s", engine, said, first)
		}
	}
}

// TestLimitedFaults: if faults are limited to some nodes or connections, they happen only there,
// and all engines agree.
func TestLimitedFaults(t *testing.T) {
	for _, c := range []struct {
		sys    *sim.System
		faults string
	}{
		{stopwait.System, "loss=1@n0-n1"},
		{randtree.System, "crash=1@n1,reset=1@n0-n2"},
	} {
		budgets, err := sim.ParseFaults(c.faults)
		if err != nil {
			t.Fatal(err)
		}
		params, err := c.sys.Configure(3, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.sys.Name, func(t *testing.T) { agree(t, c.sys, params, budgets) })
		anywhere := budgets
		anywhere.Only = ""
		count := func(f sim.Faults) int {
			res, err := Search(c.sys, Options{Params: params, Conditions: sim.Conditions{Faults: &f}, Depth: 4, NoWalks: true})
			if err != nil {
				t.Fatal(err)
			}
			return res.Stats.States
		}
		if some, all, none := count(budgets), count(anywhere), count(sim.Faults{}); some >= all || some <= none {
			t.Errorf("%s with %s: %d states; %d without limits, %d without faults", c.sys.Name, c.faults, some, all, none)
		}
	}
}
