package search

import (
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

// greeter sends its peer two messages: one that the peer counts, and one that the peer ignores.
type greeter struct {
	Peer  sim.Addr
	Heard int
}

type (
	heeded   struct{}
	unheeded struct{}
)

func (g *greeter) greet(env sim.Env, _ string) {
	env.UDP().Send(g.Peer, heeded{})
	for range 3 {
		env.UDP().Send(g.Peer, unheeded{})
	}
}

var greets = sim.Handle(
	sim.OnSignal((*greeter).greet),
	sim.OnMessage(func(g *greeter, _ sim.Env, _ sim.Addr, _ heeded) { g.Heard++ }),
	sim.OnMessage(func(*greeter, sim.Env, sim.Addr, unheeded) {}),
)

// TestNeverNoticed: if the application makes no requests, the result says that only faults can happen.
// If it makes some, the result names the messages whose delivery never changed or sent anything.
func TestNeverNoticed(t *testing.T) {
	sys := &sim.System{
		Name: "greeters", Doc: "Two nodes greet each other.",
		Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		Tolerates: sim.Faults{Crash: 1},
		New: func(p sim.Params, self sim.Addr) sim.Node {
			return greets.Node(&greeter{Peer: p.Addrs()[(slices.Index(p.Addrs(), self)+1)%2]})
		},
		Properties: []sim.Property{sim.Always("small", func(sim.View[*greeter]) bool { return true })},
	}
	never := func() []string {
		t.Helper()
		res, err := Search(sys, Options{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}, Engine: EngineReference})
		if err != nil {
			t.Fatal(err)
		}
		return res.Never
	}
	says := func(all []string, begin string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, begin) })
	}
	if all := never(); !says(all, "nothing can happen but faults") {
		t.Errorf("nobody says that nothing can happen: %q", all)
	}
	sys.Tolerates = sim.Faults{}
	sys.Script = func(_ sim.Params, _ sim.Addr, life int) []sim.Signal { return []sim.Signal{"greet"} }
	res, err := Search(sys, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := res.Never; !says(all, "message unheeded{} did nothing when it was delivered") || says(all, "message heeded{}") || says(all, "nothing can") {
		t.Errorf("said is %q", all)
	}
}
