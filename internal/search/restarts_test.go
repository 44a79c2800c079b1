package search

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search/internal/run"
	"macemc/sim"
	"macemc/systems/randtree"
	"macemc/systems/simtcp"
)

// TestRestartsOfSeveral: the findings and counts of walks do not depend on the number of workers, for
// any seed, whether walks begin at states that other walks have met or not.
func TestRestartsOfSeveral(t *testing.T) {
	three := hazards(func() { panic("three") })
	for seed := range uint64(long.Of(1, 20)) {
		for _, c := range []struct {
			name  string
			sys   *sim.System
			walks int
			opts  Options
		}{
			{"findings", three, 4_000, Options{Findings: 10, WalkSteps: 100}},
			{"faults", simtcp.System, 1_500, Options{WalkSteps: 500}},
			{"a bug", randtree.System, 1_200, Options{Findings: 3, WalkSteps: 500, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2, Reset: 2}}, Params: sim.Params{Nodes: 3}}},
		} {
			if c.name == "a bug" && !*long.On {
				continue
			}
			for _, restarts := range []int{30, -1}[:long.Of(1, 2)] {
				one := ""
				for _, workers := range []int{1, 3, 2}[:long.Of(2, 3)] {
					c.opts.Depth, c.opts.Walks, c.opts.late = 1, c.walks, 1
					c.opts.Seed, c.opts.Restarts, c.opts.Workers = seed+1, restarts, workers
					bugs := []string{}
					if c.name == "a bug" {
						bugs = append(bugs, "RT20")
					}
					res := search(t, c.sys, c.opts.Params.Nodes, nil, c.opts, bugs...)
					if c.name == "faults" && (res.Stats.Restarted > 0) != (restarts > 0) {
						t.Errorf("%s: %d of %d walks went on from %d states", c.name, res.Stats.Restarted, res.Stats.Walks, res.Stats.Kept)
					}
					said := fmt.Sprintf("%+v %+v %d alike, stopped: %s", res.Stats, res.Liveness, res.Alike, res.Stop)
					for _, f := range res.Findings {
						said += fmt.Sprintf("\n%s %q at %d: %v", f.Verdict, f.Property, f.Step, run.Picks(f.Path))
						if workers == 1 && seed == 0 {
							replayed(t, c.sys, f, false)
						}
					}
					if one == "" {
						one = said
					}
					if said != one {
						t.Errorf("%s, seed %d, restarts %d, %d workers: %s\none: %s", c.name, seed+1, restarts, workers, said, one)
					}
				}
			}
		}
	}
}

// lamp is on or off.
type lamp struct{ On bool }

func (*lamp) Init(sim.Env)                           {}
func (*lamp) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (l *lamp) Handle(sim.Env, sim.Signal)           { l.On = !l.On }
func (*lamp) Offers(offer func(sim.Signal))          { offer(year{}) }

// TestScenariosAreKept: the corpus keeps a state in which Sometimes properties hold that did not hold
// together before, even if the state of each of its nodes is known.
func TestScenariosAreKept(t *testing.T) {
	lamps := &sim.System{
		Name: "lamps", Doc: "Two lamps.",
		Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:        func(sim.Params, sim.Addr) sim.Node { return &lamp{} },
		Properties: []sim.Property{sim.Always("true", func(sim.View[*lamp]) bool { return true })},
	}
	on := func(n int) func(sim.View[*lamp]) bool {
		return func(v sim.View[*lamp]) bool {
			for _, l := range v.Nodes() {
				if l.On {
					n--
				}
			}
			return n <= 0
		}
	}
	kept := func() int {
		return search(t, lamps, 0, nil, Options{Depth: 1, Conditions: sim.Conditions{Early: new(9)}, Walks: 200, late: 1}).Stats.Kept
	}
	if n := kept(); n != 4 {
		t.Errorf("%d states are kept of two nodes that are in two each", n)
	}
	lamps.Properties = append(lamps.Properties,
		sim.Sometimes("one is on", func(v sim.View[*lamp]) bool { return on(1)(v) }),
		sim.Sometimes("both are on", func(v sim.View[*lamp]) bool { return on(2)(v) }),
	)
	if n := kept(); n != 6 {
		t.Errorf("%d states are kept with two scenarios", n)
	}
}
