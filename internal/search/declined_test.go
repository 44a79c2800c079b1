package search

import (
	"strings"
	"testing"

	"macemc/sim"
	"macemc/trace"
)

// A selective node accepts only the message that it wants, and leaves the others under way.
type selective struct{ want, got int }

type (
	offers struct{}
	ware   struct{ n int }
)

func (c *selective) offers(env sim.Env, _ offers) {
	for _, n := range []int{1, 2, 3} {
		env.TCP().Send(env.Peers()[0], ware{n})
	}
}

func (c *selective) ware(_ sim.Env, _ sim.Addr, m ware)     { c.got = m.n }
func (c *selective) Accepts(_ sim.Addr, m sim.Message) bool { return m.(ware).n == c.want }

var selectives = sim.Handle(sim.OnSignal((*selective).offers), sim.OnMessage((*selective).ware))

// If a run is dead because a node declines a message, the finding names the message, and the number
// of messages that wait behind it.
func TestDeclinedIsTold(t *testing.T) {
	sys := &sim.System{
		Name: "selective", Doc: "Wants the second first.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return selectives.Node(&selective{want: 2}) },
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{offers{}}
			}
			return nil
		},
		Properties: []sim.Property{sim.Eventually("something was taken", func(v sim.View[*selective]) bool {
			for _, c := range v.Nodes() {
				if c.got > 0 {
					return true
				}
			}
			return false
		})},
	}
	res := search(t, sys, 0, nil, Options{})
	if res.Finding == nil || res.Finding.Verdict != trace.VerdictDead {
		t.Fatalf("found: %v", res.Finding)
	}
	if want := "declined by Accepts: ware{n: 1} from n0 by tcp at n1; 2 behind it"; !strings.Contains(res.Finding.Message, want) {
		t.Errorf("it says %q, want %q", res.Finding.Message, want)
	} else if res.Finding.Declined != want {
		t.Errorf("what is declined is %q, want %q", res.Finding.Declined, want)
	}
}
