package search

import (
	"errors"
	"slices"
	"testing"

	"macemc/sim"
)

// An actor acts once. A loud actor emits a fact. The step of another one follows from its node part alone, so memo looks it up.
type actor struct{ Acted, Loud bool }

type act struct{}

func (a *actor) act(env sim.Env, _ act) {
	if a.Acted = true; a.Loud {
		env.Emit(env.Self().Index())
	}
}

// acted remembers in which order three actors have acted.
type acted struct{ Order []int }

// TestVisibleStepsKeepTheirOrder: three nodes act in any order. For each of these orders, a property that only it violates is
// violated in the reduced space, too: a monitor, to which the nodes emit facts, and a property that takes a value of each.
func TestVisibleStepsKeepTheirOrder(t *testing.T) {
	handlers := sim.Handle(sim.OnSignal((*actor).act))
	for _, bad := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		order := sim.Monitor("order", func(m *acted, _ sim.Addr, fact any) error {
			if m.Order = append(m.Order, fact.(int)); slices.Equal(m.Order, bad) {
				return errors.New("they have acted in this order")
			}
			return nil
		})
		last := sim.Takes(sim.Always("last", func(v sim.View[*actor]) bool {
			var done []bool
			for _, a := range v.Nodes() {
				done = append(done, a.Acted)
			}
			return !done[bad[0]] || !done[bad[1]] || done[bad[2]]
		}), func(a *actor) any { return a.Acted })
		for k, p := range []sim.Property{order, last, last} {
			sys := &sim.System{
				Name: "actors", Doc: "Three actors.", Properties: []sim.Property{p},
				Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
				New:    func(sim.Params, sim.Addr) sim.Node { return handlers.Node(&actor{Loud: k < 2}) },
				Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{act{}} },
			}
			for _, engine := range []Engine{EngineMemo, EngineLocal} {
				got := search(t, sys, 0, nil, Options{Engine: engine, Reduce: ReduceStubborn, NoWalks: true, Workers: 1, once: true, Conditions: sim.Conditions{Faults: &sim.Faults{}}})
				if got.Finding == nil || got.Finding.Property != p.Name {
					t.Errorf("%s, %v, %s: %+v", engine, bad, p.Name, got.Finding)
				}
			}
		}
	}
}
