package search

import (
	"fmt"
	"testing"

	"macemc/sim"
)

// most is the memory of a monitor. Its method Init gets the parameters of the run.
type most struct{ facts, allowed int }

func (m *most) Init(p sim.Params) { m.allowed = p.Nodes }

type noisy struct{}

func (noisy) Init(env sim.Env)                       { env.Emit(1) }
func (noisy) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (noisy) Handle(env sim.Env, _ sim.Signal)       { env.Emit(2) }

// A monitor whose memory has Init(Params) knows the parameters of each run.
func TestMonitorsKnowParams(t *testing.T) {
	sys := &sim.System{
		Name: "noisy", Doc: "Nodes that emit facts.",
		New: func(sim.Params, sim.Addr) sim.Node { return noisy{} },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{3}
			}
			return nil
		},
		Properties: []sim.Property{sim.Monitor("one fact for each node", func(m *most, _ sim.Addr, _ any) error {
			if m.facts++; m.facts > m.allowed {
				return fmt.Errorf("%d facts of %d nodes", m.facts, m.allowed)
			}
			return nil
		})},
	}
	for _, n := range []int{1, 4} {
		res, err := Search(sys, Options{Params: sim.Params{Nodes: n}, Depth: 3, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if f := res.Finding; f == nil || f.Step != 1 || f.Message != fmt.Sprintf("%d facts of %d nodes", n+1, n) {
			t.Errorf("with %d nodes, found %v", n, f)
		}
	}
}
