package stopwait

import (
	"fmt"
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/systems/brokentree"
	"macemc/trace"
)

// In the correct service all increments are counted in the end, or can still be counted.
func TestCorrect(t *testing.T) {
	for _, c := range []struct {
		nodes      int
		increments string
		walks      int
	}{
		{2, "increments=1", 2_000},
		{2, "increments=2", 5_000},
		{2, "increments=20", 500},
		{4, "increments=2", 1_000},
	} {
		t.Run(fmt.Sprintf("%d nodes, %s", c.nodes, c.increments), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Nodes: c.nodes, Params: []string{c.increments}, Walks: c.walks})
		})
	}
}

// A timer that fires before the ack has arrived suffices for SW1. Visiting all states finds it, and so do walks
// alone.
func TestSW1(t *testing.T) {
	for _, depth := range []int{0, 1} {
		macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{SW1}, Depth: depth, Expect: trace.VerdictSafety})
	}
}

// Another service stands on the layer unchanged: brokentree, which was written
// for TCP, keeps its properties over UDP.
func TestBelowAnotherService(t *testing.T) {
	stack := *brokentree.System
	stack.Name = "brokentree-stopwait"
	stack.Bugs = append(stack.Bugs[:len(stack.Bugs):len(stack.Bugs)], Bugs...)
	stack.New = func(p sim.Params, self sim.Addr) sim.Node { return Over(brokentree.System.New(p, self)) }
	macetest.Run(t, &stack, macetest.Options{Walks: 2_000})
}

// asker is an upper node that asks the layer for everything that a Port has.
type asker struct{ told []string }

func (a *asker) Init(sim.Env)                           {}
func (a *asker) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (a *asker) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case start:
		port := env.TCP()
		port.Send(env.Peers()[0], increment{1})
		port.RequestToSend(env.Peers()[0])
		port.NotifyFlushed()
	case sim.ClearToSend:
		a.told = append(a.told, "clear to send")
	case sim.Flushed:
		a.told = append(a.told, "flushed")
	}
}

// The layer answers RequestToSend and NotifyFlushed by signals to the upper node.
func TestPort(t *testing.T) {
	both := sim.Eventually("both signals came", func(v sim.View[*asker]) bool {
		for _, a := range v.Nodes() {
			if len(a.told) != 2 {
				return false
			}
		}
		return true
	})
	sys := &sim.System{
		Name: "asker", Doc: "Asks.",
		Nodes:      System.Nodes,
		Bugs:       Bugs,
		New:        func(sim.Params, sim.Addr) sim.Node { return Over(&asker{}) },
		Script:     System.Script,
		Properties: []sim.Property{both},
	}
	macetest.Run(t, sys, macetest.Options{Nodes: 2})
}
