package search

import (
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/simtcp"
	"macemc/systems/stopwait"
	"macemc/trace"
)

// prefixes returns n runs of a system without bugs. Each ends in steady state, which means that it was
// live for at least the given number of steps.
func prefixes(t *testing.T, sys *sim.System, n, steady int) []Prefix {
	t.Helper()
	res := search(t, sys, 0, nil, Options{Prefixes: n, Steady: steady})
	if len(res.Prefixes) == 0 || res.Finding != nil || res.Safety.State != StateNone || res.Stats.States != 0 {
		t.Fatalf("%d prefixes, found is %+v, safety %s, %d states", len(res.Prefixes), res.Finding, res.Safety.State, res.Stats.States)
	}
	return res.Prefixes
}

// TestPrefixes: prefixes end in different states, are live in their last steps, and are reproduced by
// a replay.
func TestPrefixes(t *testing.T) {
	const steady = 10
	all := prefixes(t, brokentree.System, 5, steady)
	if len(all) != 5 {
		t.Errorf("%d prefixes of 5", len(all))
	}
	ends := map[string]bool{}
	for _, p := range all {
		state, _ := p.Get("state")
		ends[state] = true
		again, err := Replay(brokentree.System, throughText(t, p.Path), Options{})
		if err != nil || !again.Reproduced {
			t.Errorf("a prefix of %d steps is not reproduced: %v", len(p.Steps), err)
		}
		r, err := newRunner(brokentree.System, Options{Params: again.Params})
		if err != nil {
			t.Fatal(err)
		}
		for back := range steady + 1 {
			_, _, w := r.Run(run.Repeat(choose.NewRaw(run.Picks(p.Path)), run.Fair, len(p.Steps)-back), false)
			if !w.Judge.Live() {
				t.Errorf("a prefix of %d steps is not live %d steps before its end", len(p.Steps), back)
			}
		}
	}
	if len(ends) != len(all) {
		t.Errorf("%d prefixes have %d ends", len(all), len(ends))
	}
}

// TestPrefixFinds: a search for a bug can begin with a prefix that was recorded without the bug, with
// every engine. The path of its finding begins with the prefix, and replays.
func TestPrefixFinds(t *testing.T) {
	for _, engine := range []Engine{EngineMemo, EngineLocal, EngineReference}[:long.Of(1, 3)] {
		for _, c := range []struct {
			sys     *sim.System
			bug     string
			opts    Options
			verdict trace.Verdict
		}{
			{brokentree.System, "BT2", Options{}, trace.VerdictSafety},
			{brokentree.System, "BT2", Options{Depth: 1, Paths: 2_000}, trace.VerdictSafety},
			{simtcp.System, "ST1", Options{}, trace.VerdictSafety},
			{simtcp.System, "ST1", Options{Depth: 1, Paths: 2_000}, trace.VerdictSafety},
			{simtcp.System, "ST1", Options{Conditions: sim.Conditions{Early: new(1)}}, trace.VerdictSafety},
			{stopwait.System, "SW1", Options{Conditions: sim.Conditions{Early: new(0)}}, 0},
		} {
			c.opts.Engine, c.opts.Prefix = engine, prefixes(t, c.sys, 1, 5)[0].Path
			n := len(c.opts.Prefix.Steps)
			res := search(t, c.sys, 0, nil, c.opts, c.bug)
			f := res.Finding
			if c.verdict == 0 { // nothing can go wrong any more; that is a result as well
				if f != nil || res.Safety.State != StateExhausted {
					t.Errorf("%s, %s: found is %+v, safety %s", engine, c.bug, f, res.Safety.State)
				}
				continue
			}
			if f == nil || f.Verdict != c.verdict || len(f.Path.Steps) <= n {
				t.Errorf("%s, %s, from %d steps: found is %+v, stopped: %s", engine, c.bug, n, f, res.Stop)
				continue
			}
			for i, s := range f.Path.Steps[:n] {
				if s.Event.What != c.opts.Prefix.Steps[i].Event.What {
					t.Errorf("%s, %s: step %d is %q, and of the prefix %q", engine, c.bug, i+1, s.Event.What, c.opts.Prefix.Steps[i].Event.What)
				}
			}
			again, err := Replay(res.System, throughText(t, f.Path), Options{})
			if err != nil || !again.Reproduced {
				t.Errorf("%s, %s: the path is not reproduced: %v", engine, c.bug, err)
			}
		}
	}
}

// The engines agree on what lies beyond a prefix.
func TestPrefixSpace(t *testing.T) {
	p := prefixes(t, simtcp.System, 1, 5)[0].Path
	var want Stats
	for i, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
		res := search(t, simtcp.System, 0, nil, Options{Engine: engine, Depth: 12, Prefix: p, NoWalks: true})
		s := res.Stats
		t.Logf("%s: %d states, %d transitions, depth %d", engine, s.States, s.Transitions, s.Depth)
		if i == 0 {
			want = s
		} else if s.States != want.States || s.Transitions != want.Transitions || s.Depth != want.Depth || s.States < 100 {
			t.Errorf("%s: %d states, %d transitions, depth %d; want %d, %d, %d", engine, s.States, s.Transitions, s.Depth, want.States, want.Transitions, want.Depth)
		}
	}
}

// The critical step of a dead run is counted from the start of the run, the prefix included. If
// the prefix itself cannot recover, the critical step lies in it.
func TestPrefixCritical(t *testing.T) {
	sys := traps(2, 20, true)
	w := search(t, sys, 0, nil, Options{Depth: 1, Paths: 1, NoWalks: true})
	step := func(pick int, coins ...choose.Choice) choose.Step {
		return choose.Step{Event: choose.Choice{Kind: choose.Event, Of: 2, Pick: pick, What: []string{"n0 timer revolve{}", "n1 timer revolve{}"}[pick]}, Coins: coins}
	}
	side := func(pick int) choose.Choice {
		return choose.Choice{Kind: choose.Coin, Of: 2, Pick: pick, What: []string{"into the trap: 0", "into the trap: 1"}[pick]}
	}
	for _, c := range []struct {
		steps    []choose.Step
		critical int
	}{
		{[]choose.Step{step(1), step(1), step(1)}, 4},          // beyond
		{[]choose.Step{step(1), step(0, side(1)), step(1)}, 2}, // in it
		{[]choose.Step{step(1), step(1), step(0, side(1))}, 3}, // by its last step
	} {
		for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
			for _, noWalks := range []bool{true, false} {
				if engine == EngineReference && noWalks {
					continue // it decides liveness by walks only
				}
				path := &choose.Path{Header: Describe(sys, w.Params), Steps: c.steps}
				res := search(t, sys, 0, nil, Options{Engine: engine, Prefix: path, NoWalks: noWalks, WalkSteps: 1_000})
				if f := res.Finding; f == nil || f.Critical == nil || f.Critical.Step != c.critical || f.Critical.Event != "n0 timer revolve{}" {
					t.Errorf("%s: found is %+v, stopped: %s; want the critical step %d", engine, f, res.Stop, c.critical)
				} else if again, err := Replay(sys, throughText(t, f.Path), Options{WalkSteps: 1_000}); err != nil || !again.Reproduced {
					t.Errorf("%s: not reproduced: %v", engine, err)
				}
			}
		}
	}
}

// TestPrefixRefused: if the run of a prefix cannot be taken, the search returns an error of one line.
// If it violates a property, that is a finding.
func TestPrefixRefused(t *testing.T) {
	good := prefixes(t, brokentree.System, 1, 5)[0].Path
	changed := func(change func(*choose.Path)) *choose.Path {
		p := good.Prefix(len(good.Steps))
		p.Steps = slices.Clone(p.Steps)
		change(p)
		return p
	}
	for want, p := range map[string]*choose.Path{
		`the prefix is of the system "stopwait", not of "brokentree"`: changed(func(p *choose.Path) { p.Set("system", "stopwait") }),
		`the prefix has 5 nodes, and the search 3`:                    changed(func(p *choose.Path) { p.Set("nodes", "5") }),
		`diverged at step 2: recorded "n7 dances" (pick 0 of 2), which is not possible now; possible are: "n`: changed(func(p *choose.Path) {
			p.Steps[1].Event = choose.Choice{Kind: choose.Event, Of: 2, What: "n7 dances"}
		}),
		`the environment heals at step 3 of the prefix`: changed(func(p *choose.Path) { p.Steps[2].Event.What = sim.KindHeal.String() }),
	} {
		params, err := brokentree.System.Configure(0, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Search(brokentree.System, Options{Params: params, Prefix: p})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, %+v; want %s", err, res, want)
		}
	}
	bad := search(t, brokentree.System, 0, nil, Options{}, "BT2").Finding
	res := search(t, brokentree.System, 0, nil, Options{Prefix: bad.Path}, "BT2")
	if f := res.Finding; f == nil || f.Property != bad.Property || f.Step != bad.Step || res.Stop != StopFound || res.Stats.States != 0 {
		t.Errorf("a prefix that violates a property: found is %+v, stopped: %s", f, res.Stop)
	}
}

// A search can begin with a prefix even if nodes cannot be copied: each run takes the prefix
// again.
func TestPrefixOfBoundNodes(t *testing.T) {
	below := func(n int) func(sim.View[*tally]) bool {
		return func(v sim.View[*tally]) bool {
			for _, node := range v.Nodes() {
				return node.N < n
			}
			return true
		}
	}
	sys := &sim.System{
		Name: "tally", Doc: "A node counts by a function of its own.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &tally{} },
		Properties: []sim.Property{
			sim.Always("it stays small", below(60)),
			sim.Eventually("it has begun", func(v sim.View[*tally]) bool { return !below(10)(v) }),
		},
	}
	p := prefixes(t, sys, 1, 5)[0].Path
	for _, opts := range []Options{{Depth: 3, Paths: 200}, {Depth: 100}, {Depth: 100, NoWalks: true}} {
		opts.Prefix = p
		res := search(t, sys, 0, nil, opts)
		f := res.Finding
		if f == nil || f.Verdict != trace.VerdictSafety || f.Step != 60 || res.Stats.Engine != string(EngineReference) {
			t.Errorf("from %d steps, %s: found is %+v, stopped: %s", len(p.Steps), res.Stats.Engine, f, res.Stop)
		}
	}
}
