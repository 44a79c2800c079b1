package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/toy"
	"macemc/sim"
	"macemc/trace"
)

// TestParamsAreResolved: a search without Params uses the defaults of the system, and its result has
// them.
func TestParamsAreResolved(t *testing.T) {
	sys, err := toy.Parse(deadEnd)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Search(sys, Options{NoWalks: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := sys.NodeRange(sim.Params{}).Default; res.Params.Nodes != want || res.Options.Params.Nodes != want {
		t.Errorf("run with %d nodes, options %d; want %d", res.Params.Nodes, res.Options.Params.Nodes, want)
	}
}

// TestReplayRefusesHeaders: a header with an unknown key or an impossible value is an error that names
// the possible ones.
func TestReplayRefusesHeaders(t *testing.T) {
	sys, err := toy.Parse(deadEnd)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Search(sys, Options{})
	if err != nil || res.Finding == nil {
		t.Fatal(res, err)
	}
	state, _ := res.Finding.Path.Get("state")
	for _, c := range []struct{ key, value, want string }{
		{"colour", "red", `the path's header says colour: "red", which this version does not know; it knows param, bug,`},
		{"state", state[1:], `which is no state; a state is 32 hexadecimal digits`},
		{"state", state + "00", `which is no state; a state is 32 hexadecimal digits`},
		{"state", "x" + state[1:], `which is no state; a state is 32 hexadecimal digits`},
		{"state", strings.Repeat("0", 32), `it ends in state ` + state + `, and 00000000000000000000000000000000 was recorded`},
		{"critical", "soon", `the path's header says critical: "soon"; it must be one of its`},
		{"critical", "1000", `the path's header says critical: "1000"; it must be one of its`},
		{"critical", "0 or so", `the path's header says critical: "0 or so"; it must be one of its`},
	} {
		path := throughText(t, res.Finding.Path)
		path.Set(c.key, c.value)
		if _, err := Replay(sys, path, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s is answered with %v, want %s", c.key, c.value, err, c.want)
		}
	}
	path := throughText(t, res.Finding.Path)
	path.Add("system", sys.Name)
	if _, err := Replay(sys, path, Options{}); err == nil || err.Error() != "the path's header says system twice; leave one of them" {
		t.Error(err)
	}
	r, err := Replay(sys, throughText(t, res.Finding.Path), Options{})
	if err != nil || !r.Reproduced || r.Finding.Critical == nil || *r.Finding.Critical != *res.Finding.Critical {
		t.Errorf("%v; the replay tells %v, the search %v", err, r.Finding.Critical, res.Finding.Critical)
	}
}

// deadEnd is live at a, and goes from b to the circle of c and d, from which a
// is not reached any more.
const deadEnd = `start: a
a -> b
b -> a
b -> c
c -> d
d -> c
live: a
`

// If a search has proved that a run is dead, its replay proves it too.
func TestReplayDecidesExactly(t *testing.T) {
	sys, err := toy.Parse(deadEnd)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Search(sys, Options{})
	if err != nil || res.Finding == nil || !res.Finding.Proved {
		t.Fatal(res, err)
	}
	if told, _ := res.Finding.Path.Get("critical"); res.Finding.Critical == nil || told != "2 exact" {
		t.Errorf("the path says critical: %q, and found is %+v", told, res.Finding.Critical)
	}
	r, err := Replay(sys, throughText(t, res.Finding.Path), Options{})
	if err != nil || !r.Reproduced || !r.Finding.Proved || r.Finding.Evidence != nil {
		t.Errorf("%v; the search has proved it, the replay tells %+v", err, r.Finding)
	}
	for _, n := range []int{2, 40} { // d leads on, by a way that walks hardly find
		narrow := deadEnd + "d -> x1\n"
		for i := range n {
			narrow += fmt.Sprintf("x%d -> c\nx%d -> x%d\n", i+1, i+1, i+2)
		}
		narrow += fmt.Sprintf("x%d -> a\n", n+1)
		sys, err := toy.Parse(narrow)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Replay(sys, throughText(t, res.Finding.Path), Options{})
		if err != nil || r.Reproduced || r.Finding.Verdict != trace.VerdictNone || r.Finding.Step != len(res.Finding.Path.Steps) {
			t.Errorf("a way of %d steps leads back: %v, %+v", n, err, r)
		}
	}
}

// If nodes cannot be copied, nothing is decided exactly. A replay decides by walks then, and the
// critical step in the header of the path does not count as proved.
func TestReplayFallsBackToWalks(t *testing.T) {
	sys := &sim.System{
		Name: "bound", Doc: "A node counts by a function of its own, and never comes back to 0.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &tally{} },
		Properties: []sim.Property{sim.Steps("nothing", func(_, _ sim.View[*tally]) bool { return true }), sim.Eventually("it is at 0", func(v sim.View[*tally]) bool {
			for _, n := range v.Nodes() {
				return n.N == 0
			}
			return false
		})},
	}
	res, err := Search(sys, Options{WalkSteps: 50, MaxWalkSteps: 50})
	if err != nil || res.Finding == nil || res.Finding.Verdict != trace.VerdictDead || res.Finding.Proved {
		t.Fatal(err, res)
	}
	r, err := Replay(sys, throughText(t, res.Finding.Path), Options{WalkSteps: 50})
	if err != nil || !r.Reproduced || r.Finding.Proved || r.Finding.Evidence == nil {
		t.Errorf("%v; the replay tells %+v", err, r.Finding)
	}
	if r != nil && len(r.Finding.Trace.Steps) != len(res.Finding.Path.Steps) { // with a step property, walks are taken in the same world
		t.Errorf("the trace has %d steps, the path %d", len(r.Finding.Trace.Steps), len(res.Finding.Path.Steps))
	}
}
