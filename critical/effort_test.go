package critical_test

import (
	"testing"

	"macemc/critical"
	"macemc/search"
	"macemc/sim"
)

// clocks count without end, so that their space cannot be exhausted, and are
// never what is hoped for.
type clocks struct{ Ticks int }

func (*clocks) Init(env sim.Env)                       { env.After(1, toll{}) }
func (*clocks) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *clocks) Handle(env sim.Env, _ sim.Signal) {
	c.Ticks++
	env.After(1, toll{})
}

type toll struct{}

// A run that never could recover, and of which that is only believed, costs a
// little more than the longest plain walks do: within the effort that is spent on
// a finding by default, in this proportion to the length of walks, it is isolated.
// And what a search has said of it stays where there is less.
func TestDeadFromTheStartIsWithinTheEffort(t *testing.T) {
	sys := &sim.System{
		Name: "clocks", Doc: "Clocks that are never right.",
		New:        func(sim.Params, sim.Addr) sim.Node { return &clocks{} },
		Properties: []sim.Property{sim.Eventually("right", func(sim.View[*clocks]) bool { return false })},
	}
	bounds := search.Options{Depth: 2, WalkSteps: 200, MaxWalkSteps: 1_600, Workers: 1}
	res, err := search.Search(sys, bounds)
	if err != nil {
		t.Fatal(err)
	}
	opts := critical.Options{Exhaust: -1, NoLive: true, Effort: 20_000_000 / 10_000 * 200, Search: bounds}
	if f := find(t, sys, res.Finding, opts); f.Critical.Step != 0 || f.Critical.Exact || f.Evidence.WalkSteps != 1_600 {
		t.Errorf("critical is %+v, evidence %+v", f.Critical, f.Evidence)
	}
	opts.Effort = 100
	r, err := critical.Find(sys, res.Finding, opts)
	if err != nil || !r.Stopped || r.Finding.Critical == nil || res.Finding.Critical == nil {
		t.Errorf("%v; of %+v, %+v is left, stopped %v", err, res.Finding.Critical, r.Finding.Critical, r.Stopped)
	}
}
