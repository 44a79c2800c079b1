package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/sight"
	"macemc/sim"
)

// lamp is a node that is lit or not lit.
type lamp struct {
	sim.Node
	Lit bool
}

// hall is the state of three lamps that properties see, in place of a World.
type hall struct {
	lamps [3]*lamp
	sees  sight.State
	judge Judge
}

func (*hall) Timers() int                    { return 0 }
func (*hall) InFlight() int                  { return 0 }
func (*hall) UnderWay(func(sight.Sent) bool) {}

func newHall(t *testing.T, sys *sim.System, change ...func(*Config)) *hall {
	t.Helper()
	h := &hall{}
	h.sees.Runtime, h.sees.Params = h, sim.Params{Nodes: 3}
	for i := range h.lamps {
		h.lamps[i] = &lamp{}
		h.sees.Nodes = append(h.sees.Nodes, &sight.Node{Node: h.lamps[i], Up: true})
	}
	c := Config{System: sys, Params: sim.Params{Nodes: 3}, Sees: &h.sees, Sum: func(v any) canon.Hash {
		return canon.Hash{Lo: uint64(len(fmt.Sprint(v)))}
	}}
	for _, do := range change {
		do(&c)
	}
	var err error
	if h.judge, err = New(c); err != nil {
		t.Fatal(err)
	}
	for i := range h.lamps {
		h.judge.Changes(i)
	}
	h.sees.Regrouped()
	return h
}

func lit(v sim.View[*lamp]) (n int) {
	for _, l := range v.Nodes() {
		if l.Lit {
			n++
		}
	}
	return n
}

func properties(all ...sim.Property) *sim.System { return &sim.System{Name: "hall", Properties: all} }

// TestEachIsAskedOfChangedNodes checks that a property made by Each is evaluated for the nodes that have changed since
// the last state in which all safety properties held.
func TestEachIsAskedOfChangedNodes(t *testing.T) {
	asked := 0
	h := newHall(t, properties(sim.Each("dark", func(v sim.View[*lamp]) bool { asked++; return lit(v) == 0 })))
	for _, step := range []struct{ change, want int }{{-1, 3}, {-1, 0}, {1, 1}} {
		if asked = 0; step.change >= 0 {
			h.judge.Changes(step.change)
		}
		if h.judge.Unsafe() != nil || asked != step.want {
			t.Errorf("asked of %d nodes, want %d", asked, step.want)
		}
		h.judge.Held()
	}
	h.lamps[2].Lit = true
	if h.judge.Unsafe() != nil {
		t.Error("asked of a node of which nobody said that it changed")
	}
	h.judge.Changes(2)
	for range 2 { // until it holds
		if c := h.judge.Unsafe(); c == nil || c.Name != "dark" {
			t.Error("a lamp is lit, and the property holds")
		}
	}
}

// TestBlind checks that a Judge with monitors alone is blind, and that one with any property or constraint about
// states is not.
func TestBlind(t *testing.T) {
	holds := func(sim.View[*lamp]) bool { return true }
	monitor := sim.Monitor("m", func(*struct{}, sim.Addr, any) error { return nil })
	if h := newHall(t, properties(monitor)); !h.judge.Blind() {
		t.Error("a judge of a monitor is not blind")
	}
	for _, p := range []sim.Property{sim.Always("a", holds), sim.Each("e", holds), sim.Eventually("l", holds), sim.Sometimes("s", holds)} {
		if h := newHall(t, properties(monitor, p)); h.judge.Blind() {
			t.Errorf("a judge of property %q is blind", p.Name)
		}
	}
	within := properties(monitor)
	within.Within = sim.While("w", holds)
	if h := newHall(t, within); h.judge.Blind() {
		t.Error("a judge of System.Within is blind")
	}
}

// TestOnlyWantedProperties checks that only the selected properties are evaluated, and that an unknown name is an error
// that lists all names.
func TestOnlyWantedProperties(t *testing.T) {
	no := func(sim.View[*lamp]) bool { return false }
	sys := properties(sim.Always("a", no), sim.Eventually("b", no), sim.Sometimes("c", no))
	only := func(names ...string) func(*Config) { return func(c *Config) { c.Only = names } }
	h := newHall(t, sys, only("b"))
	if h.judge.Unsafe() != nil || !h.judge.CanBeLive() || h.judge.Live(0, false) {
		t.Error("a is judged, or b is not")
	}
	if h = newHall(t, sys); h.judge.Unsafe() == nil || h.judge.Scenarios() != 0 {
		t.Error("a is not judged")
	}
	names, _ := h.judge.NotLive()
	if got := h.judge.Judgements(); len(got) != 2 || got[1].Name != "b" || !got[1].Liveness || got[1].Holds || !slices.Equal(names, []string{"b"}) {
		t.Errorf("%v; not live: %v", got, names)
	}
	if _, err := New(Config{System: sys, Only: []string{"d"}, Sees: &h.sees}); err == nil || err.Error() != `hall has no property "d"; it has a; b; c` {
		t.Error(err)
	}
}

// TestPanickerNamesTheFunction checks that Panicker names the function of the system that panicked, once.
func TestPanickerNamesTheFunction(t *testing.T) {
	oops := func(sim.View[*lamp]) bool { panic("oops") }
	sys := properties(sim.Always("a", oops), sim.Eventually("b", oops), sim.Monitor("c", func(*int, sim.Addr, any) error { panic("oops") }))
	sys.Within, sys.Assume = sim.While("d", oops), sim.While("e", oops)
	h := newHall(t, sys)
	h.judge.Start()
	for _, c := range []struct {
		do             func()
		what, property string
	}{
		{func() { h.judge.Unsafe() }, `property "a"`, "a"},
		{func() { h.judge.Live(0, false) }, `property "b"`, "b"},
		{func() { h.judge.Observe(0, 1, "fact") }, `monitor "c"`, "c"},
		{func() { h.judge.Within() }, `System.Within "d"`, ""},
		{func() { h.judge.Assumed() }, `System.Assume "e"`, ""},
	} {
		func() {
			defer func() { _ = recover() }()
			c.do()
		}()
		if what, property := h.judge.Panicker(); what != c.what || property != c.property {
			t.Errorf("got %s, %q, want %s, %q", what, property, c.what, c.property)
		}
		if what, _ := h.judge.Panicker(); what != "" {
			t.Errorf("%s is named again", what)
		}
	}
}

// TestWithoutFailingNodes checks that a property that counts nodes is also evaluated without the nodes that may fail,
// unless it is made by Each.
func TestWithoutFailingNodes(t *testing.T) {
	all := func(v sim.View[*lamp]) bool { return v.Len() == 3 }
	failing := func(c *Config) { c.Failing = [][]int{{0}, {1, 2}} }
	if property, nodes := newHall(t, properties(sim.Always("all", all)), failing).judge.Without(); property != "all" || !slices.Equal(nodes, []string{"n0"}) {
		t.Errorf("%q without %v", property, nodes)
	}
	dark := sim.Each("dark", func(v sim.View[*lamp]) bool { return lit(v) == 0 })
	if property, _ := newHall(t, properties(dark), failing).judge.Without(); property != "" {
		t.Errorf("%q differs", property)
	}
}

// TestMonitors checks that monitors observe facts, that one made by Cools reports when it is cold, and that Awaits returns
// the explanation of a hot monitor in a state that counts for liveness.
func TestMonitors(t *testing.T) {
	bright := true
	sys := properties(
		sim.Monitor("even", func(n *int, _ sim.Addr, fact any) error {
			if *n += fact.(int); *n%2 == 1 {
				return errors.New("odd")
			}
			return nil
		}),
		sim.Cools("paid", func(owed *int, _ sim.Addr, fact any) { *owed += fact.(int) }, func(owed *int) bool { return *owed > 0 },
			func(owed *int) string { return fmt.Sprint(*owed, " to pay") }),
	)
	sys.Assume = sim.While("bright", func(sim.View[*lamp]) bool { return bright })
	h := newHall(t, sys)
	h.judge.Start()
	observe := func(k, fact, wantCold int, wantErr string) {
		t.Helper()
		cold, err := h.judge.Observe(k, 0, fact)
		if cold != wantCold || (err == nil) != (wantErr == "") || err != nil && err.Error() != wantErr {
			t.Errorf("cold %d, %v; want %d, %q", cold, err, wantCold, wantErr)
		}
	}
	observe(0, 2, -1, "")
	observe(0, 1, -1, "odd")
	observe(1, 3, -1, "")
	if !h.judge.Hot(0) || h.judge.Awaits(0) != "3 to pay" || !slices.Equal(h.judge.Cools(), []string{"paid"}) {
		t.Error("paid is not hot")
	}
	if bright = false; h.judge.Hot(0) {
		t.Error("paid is hot in a state that does not count")
	}
	bright = true
	h.judge.Start()
	if w := h.judge.Watching(); h.judge.Hot(0) || len(w) != 2 || w[0].Cools || !w[1].Cools || w[1].Hot {
		t.Errorf("a run begins with the memory of the last one: %+v", w)
	}
	observe(1, 3, -1, "")
	observe(1, -3, 0, "")
}

// TestSteps checks that step properties see the states before and after a step, and that an audit reports one that
// changes a node.
func TestSteps(t *testing.T) {
	grows := sim.Steps("grows", func(before, after sim.View[*lamp]) bool { return lit(before) <= lit(after) })
	sys := properties(grows)
	before, after := newHall(t, sys), newHall(t, sys)
	steps := after.judge.Steps(sys, nil, &before.sees)
	if !steps.Any() || steps.Unsafe() != nil {
		t.Error("nothing happened, and the property does not hold")
	}
	before.lamps[0].Lit = true
	if c := steps.Unsafe(); c == nil || c.Name != "grows" {
		t.Error("a lamp went out, and the property holds")
	}
	if after.judge.Steps(sys, []string{"other"}, &before.sees).Any() {
		t.Error("a property that is not wanted is checked")
	}
}

// TestJudgeCountsForCoverage checks that coverage counts the states in which liveness properties held, and those in which
// one held only because it saw no node.
func TestJudgeCountsForCoverage(t *testing.T) {
	none := sim.Eventually("none lit", func(v sim.View[*lamp]) bool { return lit(v) == 0 })
	some := sim.Sometimes("some lit", func(v sim.View[*lamp]) bool { return lit(v) > 0 }, func(v sim.View[*lamp]) int { return 3 - v.Len() })
	sys, c := properties(none, some), &observe.Coverage{}
	h := newHall(t, sys, func(config *Config) { config.Coverage = c })
	of := h.judge.Subject()
	c.Prepare(sim.Params{})
	of.System = sys
	c.Bind(of)
	undo := h.judge.Uncovered()
	h.judge.CoverRun(7)
	undo()
	if held := c.Held(); len(held) != 1 || held[0].Depth != -1 {
		t.Errorf("%+v, and nothing was to be counted", held)
	}
	h.judge.CoverState(4)
	for _, n := range h.sees.Nodes {
		n.Up = false
	}
	h.sees.Regrouped()
	if h.judge.Live(5, false); strings.Contains(strings.Join(c.Never(), "\n"), "were down") {
		t.Error("no node is down for good")
	}
	h.judge.Live(5, true)
	if held := c.Held(); held[0] != (observe.Held{Property: "none lit", Depth: 4}) {
		t.Errorf("%+v", held)
	}
	never := strings.Join(c.Never(), "\n")
	for _, want := range []string{`"none lit" held while all nodes that it is about were down`, `"some lit" was to hold sometimes, and no such state was met; the nearest was 0 away`} {
		if !strings.Contains(never, want) {
			t.Errorf("%s is missing in\n%s", want, never)
		}
	}
}

// TestTaken checks that the hash that Taken returns depends on the values that a property takes of a node, and on
// whether the node is up.
func TestTaken(t *testing.T) {
	h := newHall(t, properties(sim.Takes(sim.Always("dark", func(v sim.View[*lamp]) bool { return lit(v) == 0 }), func(l *lamp) any { return l.Lit })))
	dark := h.judge.Taken(0)
	if h.lamps[0].Lit = true; h.judge.Taken(0) == dark || h.judge.Taken(1) != dark {
		t.Error("what is taken of a lamp does not depend on its light")
	}
	h.sees.Nodes[1].Up = false
	if h.judge.Taken(1) == dark {
		t.Error("something is taken of a node that is not up")
	}
	h.judge.Declared(func(k int, name string, holds bool) {
		if k != 0 || name != "dark" || holds {
			t.Error(k, name, holds)
		}
	})
}
