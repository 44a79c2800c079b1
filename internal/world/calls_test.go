package world

import (
	"testing"

	"macemc/choose"
	"macemc/sim"
	"macemc/trace"
)

// talker calls its Env Often times in each of two steps.
type talker struct {
	Often, Did int
}

func (c *talker) Init(env sim.Env)                     { env.Post(askAgain{}) }
func (*talker) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *talker) Handle(env sim.Env, _ sim.Signal) {
	if c.Did++; c.Did < 3 {
		env.Post(askAgain{})
	}
	for range c.Often - 1 {
		env.Peers()
	}
}

type askAgain struct{}

// TestCallsMost checks that a handler may call Env callsMost times in each step, and not once more.
func TestCallsMost(t *testing.T) {
	for _, beyond := range []int{0, 1} {
		w, err := New(&sim.System{
			Name: "talker", Doc: "It asks.",
			Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:   func(sim.Params, sim.Addr) sim.Node { return &talker{Often: callsMost + beyond} },
		}, sim.Params{}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		f := w.Protect(func() {
			for w.Start(choose.NewFixed()); w.Run.Steps() < 2 && w.Step(choose.NewFixed()) == Stepped; {
			}
		})
		if (f != nil) != (beyond > 0) || f != nil && f.Verdict != trace.VerdictDivergence || f == nil && w.Run.Steps() != 2 {
			t.Errorf("%d calls beyond the most: after %d steps %v", beyond, w.Run.Steps(), f)
		}
	}
}
