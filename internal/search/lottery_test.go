package search

import (
	"testing"
	"time"

	"macemc/internal/long"
	"macemc/sim"
)

// lottery draws a number at each tick, of which the search tries only a sample. One number wins, or
// none.
type lottery struct {
	number int
	Won    bool
}

type wins struct{}

func (l *lottery) Init(env sim.Env)                     { env.After(time.Second, wins{}) }
func (*lottery) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (l *lottery) Handle(env sim.Env, _ sim.Signal) {
	env.After(time.Second, wins{})
	l.Won = l.Won || env.Choose(2_000, "number") == l.number
}

// If only a sample of the answers to a choice is tried, no state is proved to be dead: an answer
// that was not tried may lead to recovery.
func TestNothingIsProvedBySamples(t *testing.T) {
	for _, number := range []int{2_000, 777}[:long.Of(1, 2)] {
		sys := &sim.System{
			Name: "lottery", Doc: "It draws.",
			Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:   func(sim.Params, sim.Addr) sim.Node { return &lottery{number: number} },
			Properties: []sim.Property{sim.Eventually("won", func(v sim.View[*lottery]) bool {
				for _, l := range v.Nodes() {
					return l.Won
				}
				return false
			})},
		}
		for i, engine := range []Engine{EngineMemo, EngineLocal, EngineReference}[:long.Of(1, 3)] {
			opts := Options{Engine: engine, Workers: 1 + i, Depth: 10, Paths: 1_010, Walks: 10, team: 1}
			opts.NoWalks = true
			res, err := Search(sys, opts)
			if err != nil || res.Finding != nil || res.Safety.State != StateSampled || res.Liveness.State != StateNone {
				t.Errorf("%s, %d: %v, %s, safety %s, liveness %s", engine, number, err, res.Verdict(), res.Safety.State, res.Liveness.State)
			}
			opts.NoWalks = false
			res, err = Search(sys, opts)
			if f := res.Finding; err != nil || (f != nil) != (number == 2_000) || f != nil && (f.Proved || f.Evidence == nil || f.Critical != nil && f.Critical.Exact) {
				t.Errorf("%s, %d: %v, %+v", engine, number, err, f)
			}
		}
	}
}
