package search

import (
	"testing"

	"macemc/internal/long"
	"macemc/sim"
	"macemc/trace"
)

// quitter counts until it quits.
type quitter struct {
	N    int
	Quit bool
}

func (q *quitter) Init(sim.Env)                           {}
func (q *quitter) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (q *quitter) Handle(env sim.Env, s sim.Signal) {
	if q.N++; env.Choose(2, "quit") == 1 {
		q.Quit = true
		return
	}
	env.Post(s)
}

// TestSettled: if a state is not live and no event is possible in it, the search reports it as dead when
// it visits the state, even if the space is not exhausted.
func TestSettled(t *testing.T) {
	sys := &sim.System{
		Name: "quitters", Doc: "Nodes count until they quit.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New:    func(sim.Params, sim.Addr) sim.Node { return &quitter{} },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{"go"} },
		Properties: []sim.Property{
			sim.Eventually("one goes on", func(v sim.View[*quitter]) bool {
				for _, q := range v.Nodes() {
					if q.N > 100 {
						return true
					}
				}
				return false
			}),
		},
	}
	for _, engine := range []Engine{EngineMemo, EngineLocal, EngineReference}[:long.Of(2, 3)] {
		res := search(t, sys, 3, nil, Options{Engine: engine, Depth: 6, NoWalks: true, once: true})
		if f := res.Finding; f == nil || f.Verdict != trace.VerdictDead || f.Step != 3 {
			t.Errorf("%s: found %+v; want that all have quit, after 3 steps", engine, f)
		}
	}
}
