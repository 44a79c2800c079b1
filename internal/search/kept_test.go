package search

import (
	"strings"
	"testing"

	"macemc/sim"
	"macemc/trace"
)

// A keeper keeps the Env of a handler, and uses it in a later one: in every message whose number is
// a multiple of the field every.
type keeper struct {
	every, got int
	kept       sim.Env
}

func (k *keeper) start(env sim.Env, _ toss) { env.UDP().Send(env.Peers()[0], coin{}) }

func (k *keeper) coin(env sim.Env, from sim.Addr, _ coin) {
	if k.got%k.every == 0 && k.kept != nil {
		env, k.kept = k.kept, env
	} else if k.kept == nil {
		k.kept = env
	}
	if k.got++; k.got < 40 {
		env.UDP().Send(from, coin{})
	}
}

var keepers = sim.Handle(sim.OnSignal((*keeper).start), sim.OnMessage((*keeper).coin))

// The use of an Env after its handler has returned is found, however many handlers ran in between,
// by every engine.
func TestKeptEnv(t *testing.T) {
	for _, every := range []int{1, 3, 8, 16} { // an Env is handed out again after 8 handlers
		for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
			res, err := Search(&sim.System{
				Name: "keeping", Doc: "Keeps.",
				Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
				New:   func(sim.Params, sim.Addr) sim.Node { return keepers.Node(&keeper{every: every}) },
				Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
					if self == p.Addr(0) {
						return []sim.Signal{toss{}}
					}
					return nil
				},
			}, Options{Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			f := res.Finding
			if f == nil || f.Verdict != trace.VerdictPanic || !strings.Contains(f.Message, "an Env is valid until its handler returns") {
				t.Errorf("%s, every %d: found %v", engine, every, f)
			} else if want := 2 + 2*every; f.Step != want && f.Step != want+1 {
				t.Errorf("%s, every %d: at step %d, %s", engine, every, f.Step, f.Message)
			}
		}
	}
}
