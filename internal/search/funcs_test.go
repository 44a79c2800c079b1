package search

import (
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/long"
	"macemc/sim"
	"macemc/trace"
)

// gear holds functions that do its work, as etcd's raft does. It replaces them when it goes up or
// down. They are bound to the gear itself, or to its wheel, to which other fields point, too.
type gear struct {
	Up    bool
	Turns int
	Left  int
	Wheel *sprocket
	turn  func(sim.Env) `mc:"-"`
	shift func(*gear)   `mc:"-"`
	count func()        `mc:"-"` // what turn calls
	kind  string        `mc:"-"`
}

type sprocket struct{ N int }

func (w *sprocket) click() { w.N = (w.N + 1) % 4 }

type (
	gearTurn  struct{}
	gearNudge struct{}
)

func (g *gear) Init(env sim.Env) {
	g.Wheel = new(sprocket)
	g.Left = 6
	g.fallDown()
	env.After(1, gearTurn{})
}

// The roles.

func (g *gear) fallDown() {
	if g.Up, g.shift = false, goUp; g.kind == "switch" {
		return
	}
	if g.turn, g.count = g.turnDown, g.Wheel.click; g.kind == "literals" || g.kind == "remade" {
		g.count = func() { g.Wheel.click() }
	}
}

func (g *gear) goUp() {
	g.Up, g.shift = true, goDown
	if g.kind != "switch" {
		g.turn = g.turnUp
	}
}

func goUp(g *gear)   { g.goUp() }
func goDown(g *gear) { g.fallDown() }

func (g *gear) clicks() {
	if g.kind == "switch" {
		g.Wheel.click()
	} else {
		g.count()
	}
}

func (g *gear) turnDown(sim.Env) { g.clicks() }

func (g *gear) turnUp(env sim.Env) {
	g.Turns = (g.Turns + 1) % 3
	for _, p := range env.Peers() {
		if p != env.Self() {
			env.TCP().Send(p, gearNudge{})
		}
	}
}

func (g *gear) Handle(env sim.Env, _ sim.Signal) {
	if g.Left--; g.Left > 0 {
		env.After(1, gearTurn{})
	}
	switch {
	case g.kind != "switch":
		g.turn(env)
	case g.Up:
		g.turnUp(env)
	default:
		g.turnDown(env)
	}
	if g.Wheel.N == 2 && env.Choose(2, "shift") == 1 {
		g.shift(g)
	}
}

func (g *gear) Deliver(_ sim.Env, _ sim.Addr, _ sim.Message) { g.clicks(); g.shift(g) }

// clone returns a copy of a gear, made as the author of such a node would make it.
func (g *gear) clone() *gear {
	c := *g
	c.Wheel = &sprocket{g.Wheel.N}
	c.fallDown()
	if g.Up {
		c.goUp()
	}
	return &c
}

func gears(kind string, property sim.Property) *sim.System {
	sys := &sim.System{
		Name: "gears", Doc: "Two gears that nudge each other.",
		Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:        func(sim.Params, sim.Addr) sim.Node { return &gear{kind: kind} },
		Properties: []sim.Property{property},
	}
	if kind == "remade" {
		sys.Remade = []sim.Remade{
			sim.Remake("search.gear.count", func(g *gear, _ any) func() { return func() { g.Wheel.click() } }),
		}
	}
	return sys
}

// TestEnginesAgreeOnFunctions: with every engine, gears that hold functions have the same space as
// gears that use a switch. If functions have variables that macemc cannot copy, the search uses the
// reference engine, and says why.
func TestEnginesAgreeOnFunctions(t *testing.T) {
	if canon.Slow() != "" {
		t.Skip("functions are not known here")
	}
	sum := func(v sim.View[*gear]) (n int) {
		for _, g := range v.Nodes() {
			n += g.Turns + g.Wheel.N
		}
		return n
	}
	calm := sim.Always("they do not turn both", func(v sim.View[*gear]) bool { return sum(v) < 100 })
	fast := sim.Always("they turn slowly", func(v sim.View[*gear]) bool { return sum(v) < 6 })
	slow := sim.Eventually("they stand still", func(v sim.View[*gear]) bool { return sum(v) > 100 })
	for _, p := range []sim.Property{calm, fast, slow} {
		var want *Result
		for _, c := range []struct {
			kind   string
			engine Engine
		}{{"switch", EngineMemo}, {"methods", EngineMemo}, {"methods", EngineLocal}, {"methods", EngineReference}, {"literals", EngineMemo}, {"remade", EngineMemo}, {"remade", EngineLocal}} {
			copied := c.kind != "literals" && c.engine != EngineReference
			opts := Options{Engine: c.engine, NoWalks: true, once: !*long.On}
			if opts.Depth = 40; !copied {
				opts.Depth = 9
			}
			res := search(t, gears(c.kind, p), 0, nil, opts)
			if want == nil {
				if want = res; want.Finding == nil && want.Safety.State != StateExhausted {
					t.Fatalf("%s: %+v", p.Name, want.Safety)
				}
			}
			if (c.kind == "literals") != strings.Contains(res.Stats.Uncopied, "fallDown.func1 has variables") || (res.Stats.Engine == string(EngineReference)) == copied {
				t.Errorf("%s: the engine is %s, since %q", c.kind, res.Stats.Engine, res.Stats.Uncopied)
			}
			got, f := res.Stats, want.Finding
			switch {
			case copied && (got.States != want.Stats.States || got.Transitions != want.Stats.Transitions):
				t.Errorf("%s, %s, %s: %d states, %d transitions; want %d, %d", p.Name, c.kind, c.engine, got.States, got.Transitions, want.Stats.States, want.Stats.Transitions)
			case copied && (f == nil) != (res.Finding == nil), !copied && f != nil && f.Step <= opts.Depth && res.Finding == nil:
				t.Errorf("%s, %s, %s: found is %+v, want %+v", p.Name, c.kind, c.engine, res.Finding, f)
			case f != nil && res.Finding != nil && (f.Verdict != res.Finding.Verdict || f.Step != res.Finding.Step):
				t.Errorf("%s, %s, %s: %s at step %d, want %s at %d", p.Name, c.kind, c.engine, res.Finding.Verdict, res.Finding.Step, f.Verdict, f.Step)
			}

		}
	}
}

// TestClone: a system with a Clone of its own has the same space, and a Clone that does not copy
// the node is reported.
func TestClone(t *testing.T) {
	const strayed = "does something else than another one that has its identity"
	calm := sim.Always("they are", func(v sim.View[*gear]) bool { return v.Len() == 2 })
	want := search(t, gears("switch", calm), 0, nil, Options{NoWalks: true})
	for name, c := range map[string]struct {
		clone func(*gear) sim.Node
		want  string // a part of the error, or "" if there is none
	}{
		"good":   {func(g *gear) sim.Node { return g.clone() }, ""},
		"forgot": {func(g *gear) sim.Node { c := g.clone(); c.Turns = 0; return c }, "Clone made another state of n0: Turns is 1, and in the copy Turns is 0"},
		"nil":    {func(*gear) sim.Node { return nil }, "Clone made a nil node of n"},
		"panics": {func(*gear) sim.Node { panic("no") }, "Clone panics: no"},
		"same":   {func(g *gear) sim.Node { return g }, strayed},
		"shares": {func(g *gear) sim.Node { c := g.clone(); c.Wheel, c.count = g.Wheel, g.count; return c }, strayed},
	} {
		sys := gears("literals", calm)
		sys.Clone = func(_ sim.Params, _ sim.Addr, n sim.Node) sim.Node { return c.clone(n.(*gear)) }
		for _, engine := range []Engine{EngineMemo, EngineLocal} {
			res, err := Search(sys, Options{NoWalks: true, Engine: engine})
			switch {
			case c.want == strayed:
				if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && (res.Finding == nil || res.Finding.Verdict != trace.VerdictNondeterminism) {
					t.Errorf("%s, %s: nothing is said of it: %v", name, engine, err)
				}
			case c.want != "":
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s, %s: %v; want %s", name, engine, err, c.want)
				}
			case err != nil:
				t.Errorf("%s, %s: %v", name, engine, err)
			case res.Stats.States != want.Stats.States || res.Stats.Transitions != want.Stats.Transitions || !res.Stats.Cloned || res.Stats.Uncopied != "":
				t.Errorf("%s, %s: %+v; want %+v", name, engine, res.Stats, want.Stats)
			}
		}
	}
}
