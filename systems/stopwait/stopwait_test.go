package stopwait

import (
	"testing"

	"macemc/sim"
	"macemc/systems/brokentree"
)

// From wherever a walk of the correct service is, all is counted in the end.
func TestCorrect(t *testing.T) {
	for _, c := range []struct {
		nodes      int
		increments string
		many       int
	}{
		{2, "increments=1", 2_000},
		{2, "increments=2", 5_000},
		{2, "increments=20", 500},
		{4, "increments=2", 1_000},
	} {
		longest := 0
		walks(t, System, c.nodes, []string{c.increments}, nil, c.many, func(w *sim.World, r run) bool {
			longest = max(longest, r.steps)
			if r.failure != nil {
				t.Errorf("%d nodes, %s: %s: %s", c.nodes, c.increments, r.failure.Property, r.failure.Message)
			} else if !r.live {
				t.Errorf("%d nodes, %s: not live after %d steps: %v", c.nodes, c.increments, r.steps, w.Lines())
			}
			return !t.Failed()
		})
		t.Logf("%d nodes, %s: at most %d steps", c.nodes, c.increments, longest)
	}
}

// A timer that fires before the ack is there is enough to find SW1.
func TestSW1(t *testing.T) {
	found := map[string]int{}
	walks(t, System, 2, nil, []string{string(SW1)}, 2_000, func(w *sim.World, r run) bool {
		if r.failure != nil {
			found[r.failure.Property]++
		}
		return true
	})
	if found["increments are counted once each, in order"] == 0 {
		t.Error("not found")
	}
	t.Logf("found by so many of 2,000 walks: %v", found)
}

// Another service stands on the layer unchanged: brokentree, which was written
// for TCP, keeps its properties over UDP.
func TestBelowAnotherService(t *testing.T) {
	stack := *brokentree.System
	stack.Name = "brokentree-stopwait"
	stack.Bugs = append(stack.Bugs[:len(stack.Bugs):len(stack.Bugs)], Bugs...)
	stack.New = func(p sim.Params, self sim.Addr) sim.Node { return Over(brokentree.System.New(p, self)) }
	walks(t, &stack, 3, nil, nil, 2_000, func(w *sim.World, r run) bool {
		if r.failure != nil {
			t.Errorf("%s: %s", r.failure.Property, r.failure.Message)
		} else if !r.live {
			t.Errorf("not live after %d steps: %v", r.steps, w.Lines())
		}
		return !t.Failed()
	})
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

// The layer answers the two requests of a Port by signals to the upper node.
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
	walks(t, sys, 2, nil, nil, 500, func(w *sim.World, r run) bool {
		if r.failure != nil || !r.live {
			t.Errorf("%v %v", r.failure, w.Lines())
		}
		return !t.Failed()
	})
}
