package search

import (
	"testing"

	"macemc/sim"
)

// flood sends itself the given number of datagrams.
type flood struct{ most int }

func (f *flood) Init(env sim.Env) {
	for range f.most {
		env.UDP().Send(env.Self(), word(1))
	}
}
func (*flood) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*flood) Handle(sim.Env, sim.Signal)             {}

// TestOverflow: a datagram that is sent into a full channel is lost, even if the budgets allow no
// loss. The result reports the capacity of the channel in this case, and 0 otherwise.
func TestOverflow(t *testing.T) {
	for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
		for most, want := range map[int]int{2: 0, 3: 2} {
			sys := &sim.System{
				Name: "flood", Doc: "It sends too much.",
				Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
				New:   func(sim.Params, sim.Addr) sim.Node { return &flood{most} },
			}
			res := search(t, sys, 0, nil, Options{Engine: engine, Conditions: sim.Conditions{Faults: &sim.Faults{}, Network: sim.Network{UDPCapacity: 2}}})
			if res.Overflow != want {
				t.Errorf("%s: of %d datagrams into a channel of two, the overflow is told as %d; want %d", engine, most, res.Overflow, want)
			}
		}
	}
}
