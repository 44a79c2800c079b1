package search

import (
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

// A careless node ignores the result of Send, uses it, or drops it on purpose.
type careless struct{ refused int }

func (s *careless) start(env sim.Env, _ toss) {
	to := env.Peers()[0]
	for range 2 {
		env.TCP().Send(to, coin{1}) // here
	}
	_ = env.TCP().Send(to, coin{2}) // dropped on purpose
	if !env.TCP().Send(to, coin{3}) {
		s.refused++
	}
	env.TCP().
		Send(to, coin{4}) // and there
}

func (s *careless) coin(sim.Env, sim.Addr, coin) {}

var carelesses = sim.Handle(sim.OnSignal((*careless).start), sim.OnMessage((*careless).coin))

// The report names the calls of Send whose result nobody looks at, and no others.
func TestDroppedRefusals(t *testing.T) {
	sys := &sim.System{
		Name: "sending", Doc: "Sends.",
		Nodes:   func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:     func(sim.Params, sim.Addr) sim.Node { return carelesses.Node(&careless{}) },
		Network: func(sim.Params) sim.Network { return sim.Network{TCPBuffer: 1} },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{toss{}}
			}
			return nil
		},
	}
	for _, workers := range []int{1, 3} {
		res, err := Search(sys, Options{NoWalks: true, Workers: workers, team: 1})
		if err != nil {
			t.Fatal(err)
		}
		var places []string
		for _, never := range res.Never {
			if place, is := strings.CutPrefix(never, "the result of Send at search/dropped_test.go:"); is {
				line, _, _ := strings.Cut(place, " ")
				places = append(places, line)
				if !slices.Contains(res.Slack, never) {
					t.Errorf("%q is held against the search", never)
				}
			}
		}
		if want := []string{"17", "24"}; !slices.Equal(places, want) {
			t.Errorf("with %d workers: dropped at the lines %v, want %v of\n%s", workers, places, want, strings.Join(res.Never, "\n"))
		}
	}
}

// The report names a property that held only while all nodes that it is about were down.
func TestVacuous(t *testing.T) {
	res, err := Search(&sim.System{
		Name: "vacuous", Doc: "Nothing.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return carelesses.Node(&careless{}) },
		Properties: []sim.Property{sim.Eventually("none was refused", func(v sim.View[*careless]) bool {
			for _, s := range v.Nodes() {
				if s.refused > 0 {
					return false
				}
			}
			return true
		})},
	}, Options{Conditions: sim.Conditions{Faults: &sim.Faults{Down: 1}}, Findings: 2})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(res.Never, "\n"); !strings.Contains(text, `"none was refused" held while all nodes that it is about were down`) {
		t.Errorf("it does not say that the property says nothing:\n%s", text)
	}
}
