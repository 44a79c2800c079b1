package critical_test

import (
	"sync/atomic"
	"testing"

	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/sim"
)

// talker sends itself messages, and then one of a type for which it has no handler.
type talker struct{ Said int }

type (
	chat struct{}
	hint struct{ N int }
	news struct{}
)

var talks = sim.Handle(sim.OnSignal((*talker).chat), sim.OnMessage((*talker).hint))

func (*talker) Offers(offer func(sim.Signal)) { offer(chat{}) }
func (*talker) hint(sim.Env, sim.Addr, hint)  {}
func (n *talker) chat(env sim.Env, _ chat) {
	if n.Said++; n.Said%6 == 5 {
		env.Bag().Send(env.Self(), news{})
		return
	}
	env.Bag().Send(env.Self(), hint{n.Said})
}

// TestUnlistedHasNoCriticalStep: no critical step is located for an event without a handler, since it fails
// wherever it comes, and walks from all states of the run would be wasted. The run is made shorter.
func TestUnlistedHasNoCriticalStep(t *testing.T) {
	var states atomic.Int64
	sys := &sim.System{
		Name: "talker", Doc: "It forgot a handler.", Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:        func(sim.Params, sim.Addr) sim.Node { return talks.Node(&talker{}) },
		Properties: []sim.Property{sim.Always("counted", func(sim.View[*talker]) bool { states.Add(1); return true })},
	}
	found, err := search.Search(sys, search.Options{Depth: 1, Paths: 50, Workers: 1})
	if err != nil || found.Finding == nil || !found.Finding.Unlisted() {
		t.Fatal(err, found)
	}
	states.Store(0)
	r, err := critical.Explain(sys, found.Finding, critical.Options{Search: search.Options{Workers: 1}}, true)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Finding
	if f.Critical != nil || f.Avoided != nil || !f.Unlisted() || len(f.Path.Steps) != 6 {
		t.Errorf("critical %+v, avoided %+v, %d steps", f.Critical, f.Avoided, len(f.Path.Steps))
	}
	if n := states.Load(); n > 30_000 { // nearly all of them in walks for shortcuts
		t.Errorf("to explain it, %d states were looked at", n)
	}
}
