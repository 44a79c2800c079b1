package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/internal/spec"
	"macemc/sim"
)

// TestDearNodes compares a memo that looks up all steps with memos that soon take the steps of some
// nodes in the world. It takes every system and random services, with faults and without.
func TestDearNodes(t *testing.T) {
	mixed := 0
	all := catalog.Systems()
	for _, sys := range all[:long.Of(2, len(all))] {
		for _, faults := range []string{"none", "crash=1,reset=1"} {
			budgets, err := sim.ParseFaults(faults)
			if err != nil {
				t.Fatal(err)
			}
			mixed += dearOrNot(t, sys, Options{Conditions: sim.Conditions{Faults: &budgets}, Depth: long.Of(4, 7)})
		}
	}
	for seed := range uint64(long.Of(8, 200)) {
		s := spec.Draw(28 + seed) // the fourth of these services declines messages
		opts := conditions(s)
		opts.Depth = 5
		if mixed += dearOrNot(t, s.System(), opts); t.Failed() {
			t.Fatalf("service %d: %s", seed, s)
		}
	}
	if mixed == 0 {
		t.Error("no search looked the steps of some nodes up and not of others")
	}
}

// dearOrNot compares such searches of one system. It returns in how many of them the memo looked up
// the steps of some nodes and took those of others in the world.
func dearOrNot(t *testing.T, sys *sim.System, opts Options) (mixed int) {
	t.Helper()
	opts.NoWalks, opts.Workers, opts.once = true, 1, true
	first := ""
	for _, worth := range []int{0, 1, 2, 9} {
		opts.worth = worth
		res, err := Search(sys, opts)
		switch {
		case err != nil && strings.Contains(err.Error(), "cannot happen"):
			return mixed
		case err != nil:
			t.Fatal(err)
		}
		s := res.Stats
		verdict := ""
		if res.Finding != nil {
			verdict = fmt.Sprint(res.Finding.Verdict, res.Finding.Property, res.Finding.Step)
		}
		got := fmt.Sprint(s.States, s.Transitions, s.Duplicates, s.Depth, res.Stop, res.Safety, res.Liveness, verdict)
		switch dear := s.Dear; {
		case worth == 0:
			if first = got; dear != 0 {
				t.Errorf("%s: after few runs, steps of nodes %b are not looked up", sys.Name, dear)
			}
		case got != first:
			t.Errorf("%s with %v, where %d runs say what a node is worth: %s; else %s", sys.Name, opts.Faults, worth, got, first)
		case dear != 0 && dear != 1<<res.Options.Params.Nodes-1:
			mixed++
		}
	}
	return mixed
}

// TestDearNode: in peterson, a single node has the state of all processes and is different after
// nearly every step, so the memo gives up looking up its steps.
func TestDearNode(t *testing.T) {
	sys, err := catalog.Find("peterson")
	if err != nil {
		t.Fatal(err)
	}
	params, err := sys.Configure(0, []string{"n=4"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Search(sys, Options{Params: params, NoWalks: true, Workers: 1, worth: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if s := res.Stats; s.Dear != 1 || s.States != 19_887 || s.Transitions != 57_296 || s.HandlerRuns < s.Transitions {
		t.Errorf("nodes %b are dear; %d states, %d transitions, %d handler runs; want node 0, 19,887, 57,296 and more", s.Dear, s.States, s.Transitions, s.HandlerRuns)
	}
}
