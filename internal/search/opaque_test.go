package search

import (
	"fmt"
	"strings"
	"testing"

	"macemc/sim"
)

// forgetful counts received messages in the field cache, which an opaque rule leaves out of the state.
// Its later messages depend on that count or, if asks is true, the number of its coins does.
type forgetful struct {
	Sent  int
	cache map[string]int
	asks  bool
}

type nudge struct{ N int }

func (f *forgetful) Init(sim.Env) {}

func (f *forgetful) Handle(env sim.Env, s sim.Signal) {
	f.Sent++
	if f.asks {
		for range f.cache["got"] {
			env.Choose(2, "again")
		}
	}
	env.TCP().Send(env.Peers()[0], nudge{f.cache["got"]})
}

func (f *forgetful) Deliver(sim.Env, sim.Addr, sim.Message) { f.cache["got"]++ }

func forgetting(asks bool) *sim.System {
	return &sim.System{
		Name: "forgetful", Doc: "It acts by what its state does not tell.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		Opaque: []string{"search.forgetful.cache"},
		New: func(sim.Params, sim.Addr) sim.Node {
			return &forgetful{cache: map[string]int{}, asks: asks}
		},
		Script: func(sim.Params, sim.Addr, int) []sim.Signal {
			return []sim.Signal{nudge{1}, nudge{1}, nudge{1}, nudge{1}}
		},
	}
}

// TestWrongOpaqueRule: if an opaque rule leaves out a field on which steps depend, the error names the
// field.
func TestWrongOpaqueRule(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		steps   bool
	}{
		{name: "memo", options: Options{Engine: EngineMemo}},
		{name: "memo, fingerprints", options: Options{Engine: EngineMemo, Visited: VisitedFingerprint}},
		{name: "local", options: Options{Engine: EngineLocal}},
		{name: "step properties", steps: true},
	} {
		for _, asks := range []bool{false, true} {
			for seed := range uint64(5) {
				t.Run(fmt.Sprintf("%s/asks=%v/%d", c.name, asks, seed+1), func(t *testing.T) {
					sys := forgetting(asks)
					if c.steps {
						sys.Properties = []sim.Property{sim.Steps("nothing", func(_, _ sim.View[*forgetful]) bool { return true })}
					}
					c.options.Seed = seed + 1
					res, err := Search(sys, c.options)
					if err == nil {
						t.Fatalf("nothing is said: %+v", res.Finding)
					}
					for _, part := range []string{"left out of the state matters", `n1.cache has`, "leave it in the state"} {
						if !strings.Contains(err.Error(), part) {
							t.Errorf("%q is not in: %v", part, err)
						}
					}
				})
			}
		}
	}
}
