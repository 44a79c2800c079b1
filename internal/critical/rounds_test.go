package critical_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"macemc/sim"
)

// relay numbers its rounds. A round is a request and eight tasks in a row, which must keep step with the clock. It is
// wrong if a round that is not ahead of the clock ends while no other one is under way.
type relay struct {
	Rounds, Under, Clock int
	Ahead                map[int]int // by round: the number of a task minus the clock when the task runs, which must be the same for all its tasks
	Wrong                bool
}

type (
	round struct{}
	hop   struct{ Round, Number int }
)

const hops = 8

func (r *relay) Init(env sim.Env) {
	r.Ahead = map[int]int{}
	env.After(time.Second, tick{})
}

func (*relay) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (r *relay) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case tick:
		r.Clock++
		env.After(time.Second, tick{})
	case round:
		r.Rounds++
		r.Under++
		env.Post(hop{r.Rounds, 1})
	case hop:
		if s.Number == 1 {
			r.Ahead[s.Round] = 1 - r.Clock
		}
		switch {
		case r.Ahead[s.Round] != s.Number-r.Clock: // it is lost, and stays under way
		case s.Number < hops:
			env.Post(hop{s.Round, s.Number + 1})
		default:
			r.Under--
			r.Wrong = r.Under == 0 && r.Ahead[s.Round] == 0
		}
	}
}

// TestShrinkDropsWholeRounds: a superfluous round is removed as a whole, with the request that began it. No part of it
// can be removed alone. Without it, the other round gets its number, so steps cannot be found by their identities.
func TestShrinkDropsWholeRounds(t *testing.T) {
	sys := &sim.System{
		Name: "relays", Doc: "A node has rounds.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:    func(sim.Params, sim.Addr) sim.Node { return new(relay) },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{round{}, round{}} },
		Weight: func(e sim.Event) float64 { // no walk begins a round
			if _, is := e.Value.(round); is {
				return 1e-9
			}
			return 1
		},
		Properties: []sim.Property{sim.Always("nothing is wrong", func(v sim.View[*relay]) bool {
			for _, r := range v.Nodes() {
				return !r.Wrong
			}
			return true
		})},
	}
	run := slices.Repeat([]string{"n0 script round{}"}, 2)
	for n := 1; n <= hops; n++ {
		run = append(run, fmt.Sprintf("n0 task hop{Round: 1, Number: %d}", n), "n0 timer tick{}", fmt.Sprintf("n0 task hop{Round: 2, Number: %d}", n))
	}
	moves(t, sys, 1+2*hops, run)
}
