package finding

import (
	"sync/atomic"
	"testing"

	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// clock ticks for ever. At its third tick it may become wrong, and then stays so.
type clock struct{ Ticks, Wrong int }

// ticks is the number of steps that all clocks have taken in all runs.
var ticks atomic.Int64

type tick struct{}

func (*clock) Init(sim.Env)                           {}
func (*clock) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*clock) Offers(offer func(sim.Signal))          { offer(tick{}) }
func (c *clock) Handle(env sim.Env, _ sim.Signal) {
	ticks.Add(1)
	if c.Ticks++; c.Ticks == 3 {
		c.Wrong = env.Choose(2, "wrong")
	}
}

var clocks = &sim.System{
	Name: "clocks", Doc: "A clock that may be wrong for ever.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	New:   func(sim.Params, sim.Addr) sim.Node { return &clock{} },
	Properties: []sim.Property{sim.Eventually("it is right", func(v sim.View[*clock]) bool {
		for _, c := range v.Nodes() {
			return c.Ticks > 3 && c.Wrong == 0
		}
		return true
	})},
}

// TestWritingJudgesNothing: a folder shows the decisions that the search has made about a finding. Writing
// the folder takes no walks to decide again.
func TestWritingJudgesNothing(t *testing.T) {
	r := found(t, clocks, search.Options{Workers: 1, WalkSteps: 300, MaxWalkSteps: 300})
	if f := r.Finding; f.Verdict != trace.VerdictDead || f.Proved {
		t.Fatalf("found is %+v", f)
	}
	ticks.Store(0)
	written(t, r)
	if n := ticks.Load(); n > 60*10_000/4 {
		t.Errorf("to write a finding of %d steps, %d steps were taken", r.Finding.Step, n)
	}
}
