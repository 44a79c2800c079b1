package search_test

import (
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/search/internal/run"
	"macemc/sim"
)

// blocker waits in its handler until the test lets it go on.
type blocker struct{ Done bool }

var entered, letGo = make(chan struct{}), make(chan struct{})

func (*blocker) Init(env sim.Env)                       { env.Post(flaw{}) }
func (*blocker) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (n *blocker) Handle(sim.Env, sim.Signal) {
	n.Done = true
	entered <- struct{}{}
	<-letGo
}

// TestSlowHandlerStaysInOnePlace: a handler counts as slow if several looks in a row find it in one
// place, and it asks Env few questions between two looks.
func TestSlowHandlerStaysInOnePlace(t *testing.T) {
	r, looked, err := search.SlowRunner(&sim.System{
		Name: "blocker", Doc: "It waits.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &blocker{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.Run(run.Repeat(choose.NewFixed(), run.Fair, 1), false)
	}()
	<-entered
	look := func(still int) {
		t.Helper()
		got, stack := looked()
		if got != still || strings.Contains(stack, "(*blocker).Handle") != (still > 0) {
			t.Errorf("it was in one place %d times, want %d:\n%s", got, still, stack)
		}
	}
	for i := range 2 * search.SlowLooks {
		look(i + 1)
	}
	for range search.SlowMost {
		r.Pulse.Tick()
	}
	look(2*search.SlowLooks + 1)
	for range search.SlowMost + 1 {
		r.Pulse.Tick()
	}
	look(0)
	look(1)
	letGo <- struct{}{}
	<-over
	look(0)
}
