package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/sim"
)

// dreamer draws a number into a field that is left out of the state, and acts by it later.
type dreamer struct {
	Woken  int
	picked []int
}

func (*dreamer) Init(sim.Env)                           {}
func (*dreamer) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (d *dreamer) Handle(env sim.Env, s sim.Signal) {
	d.Woken++
	if d.picked == nil {
		d.picked = []int{env.Choose(2, "dream")}
	} else if d.picked[0] == 1 {
		d.Woken++
	}
}

// TestDuplicatesCompared checks that a search notices two states that look equal but act differently, since
// a dreamer's state leaves out a field. An audit repeats only the first of the two runs and sees no
// difference. The search sees it when it compares that state with the one that the second run leads to.
func TestDuplicatesCompared(t *testing.T) {
	sys := &sim.System{
		Name: "dreamer", Doc: "It acts by what its state does not tell.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		Opaque: []string{"search.dreamer.picked"},
		New:    func(sim.Params, sim.Addr) sim.Node { return &dreamer{} },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{nudge{1}, nudge{2}} },
	}
	for _, engine := range []Engine{EngineMemo, EngineLocal} {
		for seed := range uint64(5) {
			t.Run(fmt.Sprintf("%s/%d", engine, seed+1), func(t *testing.T) {
				res, err := Search(sys, Options{Engine: engine, Seed: seed + 1, NoWalks: true})
				if err == nil {
					t.Fatalf("nothing is said: %+v", res.Finding)
				}
				if part := "n0.picked[0] is"; !strings.Contains(err.Error(), part) {
					t.Errorf("%q is not in: %v", part, err)
				}
			})
		}
	}
}
