package search

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/systems/simtcp"
	"macemc/systems/stopwait"
	"macemc/trace"
)

// hazard tosses three coins at its fifth step. Four of their 1,728 results are bad: with one it calls
// does, which may panic; with one it violates a property; with one it is never live again; and with
// one it is not live until its 400th step.
type hazard struct {
	Age, Side int
	does      func()
}

func (*hazard) Init(sim.Env)                           {}
func (*hazard) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (g *hazard) Offers(offer func(sim.Signal)) {
	if g.Age < 10 || g.Side == 9 && g.Age < 400 {
		offer(year{})
	}
}

func (g *hazard) Handle(env sim.Env, _ sim.Signal) {
	if g.Age++; g.Age == 5 {
		g.Side = 144*env.Choose(12, "first") + 12*env.Choose(12, "second") + env.Choose(12, "third")
	}
	if g.Side == 3 {
		g.does()
	}
}

// hazards returns a system of one hazard.
func hazards(does func()) *sim.System {
	return &sim.System{
		Name: "hazards", Doc: "A node that tosses coins.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:    func(sim.Params, sim.Addr) sim.Node { return &hazard{does: does} },
		Opaque: []string{"search.hazard.does"},
		Properties: []sim.Property{
			sim.Always("not five", func(v sim.View[*hazard]) bool {
				for _, g := range v.Nodes() {
					return g.Side != 5
				}
				return true
			}),
			sim.Eventually("all is well", func(v sim.View[*hazard]) bool {
				for _, g := range v.Nodes() {
					return g.Side != 7 && (g.Side != 9 || g.Age == 400)
				}
				return true
			}),
		},
	}
}

// TestWalksOfSeveral: if several workers take the walks, the findings and all counts, those of audits
// included, are the same as with one worker.
func TestWalksOfSeveral(t *testing.T) {
	steady := func(sys *sim.System) Options { return Options{Prefix: prefixes(t, sys, 1, 5)[0].Path} }
	three := hazards(func() { panic("three") })
	for _, c := range []struct {
		name  string
		sys   *sim.System
		walks int
		opts  Options
		found int
	}{
		{"weighted", simtcp.System, 3_000, Options{Walking: WalkWeighted}, 0},
		{"weighted, a prefix", simtcp.System, 2_000, Options{Walking: WalkWeighted, Prefix: steady(simtcp.System).Prefix}, 0},
		{"weighted, findings", three, 6_000, Options{Walking: WalkWeighted, Findings: 10, WalkSteps: 100}, 3},
		{"stopwait", stopwait.System, 4_000, Options{}, 0},
		{"simtcp", simtcp.System, 3_000, Options{}, 0},
		{"go on", brokentree.System, 400, Options{WalkLeast: 4_000}, 0},
		{"a prefix", brokentree.System, 1_500, steady(brokentree.System), 0},
		{"a prefix, faults", simtcp.System, 3_000, steady(simtcp.System), 0},
		{"a prefix, timers", simtcp.System, 3_000, Options{Prefix: steady(simtcp.System).Prefix, Conditions: sim.Conditions{Early: new(3)}}, 0},
		{"first", three, 6_000, Options{Seed: 3}, 1},
		{"findings", three, 6_000, Options{Findings: 10, WalkSteps: 100}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !*long.On && !slices.Contains([]string{"weighted, findings", "simtcp", "a prefix", "first"}, c.name) {
				t.Skip("-long")
			}
			counts := []int{1, 3, 2}[:long.Of(2, 3)]
			if c.opts.WalkSteps == 0 {
				c.opts.WalkSteps = 500
			}
			c.opts.Depth, c.opts.Walks = 1, c.walks
			one := ""
			for _, workers := range counts {
				c.opts.Workers = workers
				res := search(t, c.sys, 0, nil, c.opts)
				if len(res.Findings) != c.found || res.Stats.Walks <= walk.LotLeast && res.Stats.Steps < walk.LotSteps {
					t.Fatalf("%d workers, %d walks: found are %v", workers, res.Stats.Walks, res.Findings)
				}
				said := fmt.Sprintf("%+v %+v %d alike, stopped: %s", res.Stats, res.Liveness, res.Alike, res.Stop)
				for _, f := range res.Findings {
					said += fmt.Sprintf("\n%s %q at %d: %v", f.Verdict, f.Property, f.Step, run.Picks(f.Path))
				}
				said += fmt.Sprint("\n", res.Never, res.Held, res.Slack)
				if one == "" {
					one = said
				}
				if said != one {
					t.Errorf("%d workers: %s\none: %s", workers, said, one)
				}
			}
		})
	}
}

// waning is live after a number of steps that is the result of a coin.
type waning struct{ Age, Long int }

func (*waning) Init(sim.Env)                           {}
func (*waning) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (g *waning) Offers(offer func(sim.Signal)) {
	if g.Long == 0 || g.Age < g.Long {
		offer(year{})
	}
}

func (g *waning) Handle(env sim.Env, _ sim.Signal) {
	if g.Age++; g.Age == 3 {
		g.Long = 10 + env.Choose(100, "how long")
	}
}

// The depth at which a liveness property first holds in walks does not depend on the number of
// workers. (Only the world of the first worker was loaded with states before the walks.)
func TestFirstHeldOfSeveral(t *testing.T) {
	sys := &sim.System{
		Name: "waning", Doc: "A node that tosses a coin.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &waning{} },
		Properties: []sim.Property{sim.Eventually("over", func(v sim.View[*waning]) bool {
			g, _ := v.At(v.Params().Addr(0))
			return g.Long > 0 && g.Age == g.Long
		})},
	}
	one := ""
	for _, workers := range []int{1, 3} {
		res := search(t, sys, 0, nil, Options{Depth: 2, Step: 1, Walks: 1_200, WalkSteps: 500, Workers: workers})
		if res.Finding != nil || res.Stats.Walks <= walk.LotLeast || !res.Held[0].Run {
			t.Fatalf("%d workers: found is %+v, by %d walks, held %v", workers, res.Finding, res.Stats.Walks, res.Held)
		}
		said := fmt.Sprint(res.Never, res.Held, res.Slack)
		if one == "" {
			one = said
		}
		if said != one {
			t.Errorf("%d workers: %s; one: %s", workers, said, one)
		}
	}
}

// TestScoutsFail: a handler that ends its goroutine is found in the same walk, with the same counts,
// whether scouts take the walks or not.
func TestScoutsFail(t *testing.T) {
	one := ""
	for _, workers := range []int{1, 3} {
		res := search(t, hazards(runtime.Goexit), 0, nil, Options{Depth: 1, Walks: 6_000, WalkSteps: 500, Seed: 3, Conditions: sim.Conditions{Properties: []string{"not five"}}, Workers: workers})
		if res.Finding == nil || res.Finding.Verdict != trace.VerdictPanic || res.Stats.Walks < walk.LotLeast {
			t.Fatalf("%d workers: found is %+v, by %d walks", workers, res.Finding, res.Stats.Walks)
		}
		said := fmt.Sprint(run.Picks(res.Finding.Path), res.Stats)
		if one == "" {
			one = said
		}
		if said != one {
			t.Errorf("%d workers: %s; one: %s", workers, said, one)
		}
	}
}

// If the handler of a scout's walk never returns, the monitor reports it with its path, and with
// the findings so far.
func TestScoutStuck(t *testing.T) {
	release := make(chan struct{})
	told := make(chan *Result, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Search(hazards(func() { <-release }), Options{
			Depth: 1, Walks: 20_000, WalkSteps: 500, Seed: 3, Conditions: sim.Conditions{Properties: []string{"not five"}}, Findings: 2, Workers: 3,
			Stuck: 50 * time.Millisecond, OnStuck: func(r *Result) { told <- r },
		})
	}()
	res := <-told
	close(release)
	<-ended
	f := res.Findings[len(res.Findings)-1]
	if f.Verdict != trace.VerdictDivergence || len(f.Path.Steps) != 5 || res.Stats.Walks < walk.LotLeast {
		t.Errorf("found is %+v, by %d walks", f, res.Stats.Walks)
	}
}
