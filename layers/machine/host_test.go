package machine

import (
	"testing"
	"time"

	"macemc/internal/search"
	"macemc/sim"
)

// A shop creates a clerk for each order; a clerk waits for a timer, answers, and halts.
type shop struct {
	Core
	made, served int
}

type clerk struct {
	Core
	boss, customer Ref
}

type (
	order  struct{}
	bill   struct{}
	closed struct{}
	pause  struct{}
	buy    struct{}
)

var shops = Define("shop",
	State[*shop]{Name: "open", On: On(
		OnMessage(func(s *shop, env sim.Env, from sim.Addr, _ order) {
			s.made++
			c := &clerk{boss: Self(env), customer: From(env)}
			Send(env, New(env, clerks.Node(c)), order{})
		}),
		OnMessage(func(s *shop, env sim.Env, _ sim.Addr, _ closed) { s.served++ }),
	)},
)

var clerks = Define("clerk",
	State[*clerk]{Name: "new", Goto: map[Name][]Event{"busy": Messages(order{})}},
	State[*clerk]{
		Name:  "busy",
		Entry: func(_ *clerk, env sim.Env) { env.After(time.Second, pause{}) },
		On: On(OnSignal(func(c *clerk, env sim.Env, _ pause) {
			Send(env, c.customer, bill{})
			Send(env, c.boss, closed{})
			Halt(env)
		})),
	},
)

type buyer struct {
	Core
	shop  sim.Addr
	bills int
}

var buyers = Define("buyer",
	State[*buyer]{Name: "out", On: On(
		OnSignal(func(b *buyer, env sim.Env, _ buy) { Send(env, Ref{Node: b.shop}, order{}) }),
		OnMessage(func(b *buyer, _ sim.Env, _ sim.Addr, _ bill) { b.bills++ }),
	)},
)

func mall() *sim.System {
	return &sim.System{
		Name: "mall", Doc: "A mall. Each order is served by a machine of its own.",
		New: func(p sim.Params, self sim.Addr) sim.Node {
			if self == p.Addr(0) {
				return Hosting(shops.Node(&shop{}))
			}
			return Hosting(buyers.Node(&buyer{shop: p.Addr(0)}))
		},
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return nil
			}
			return []sim.Signal{buy{}, buy{}}
		},
		Properties: []sim.Property{
			sim.Always("no more are served than were made", func(v sim.View[*shop]) bool {
				for _, s := range v.Nodes() {
					if s.served > s.made {
						return false
					}
				}
				return true
			}),
			sim.Eventually("each buyer has two bills, and the shop is through", func(v sim.View[*buyer]) bool {
				for _, b := range v.Nodes() {
					if b.bills != 2 {
						return false
					}
				}
				for _, s := range sim.See[*shop](v).Nodes() {
					if s.served != 2*v.Len() {
						return false
					}
				}
				return true
			}),
		},
	}
}

// With machines that are created during a run, each engine visits the whole space with the
// same counts, and the charts count those machines, too.
func TestHost(t *testing.T) {
	var first *search.Result
	for _, engine := range []search.Engine{search.EngineReference, search.EngineLocal, search.EngineMemo} {
		sys := mall()
		params, err := sys.Resolve(sim.Params{Nodes: 2})
		if err != nil {
			t.Fatal(err)
		}
		res, err := search.Search(sys, search.Options{Params: params, Engine: engine, Effort: 1 << 40, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Finding != nil || res.Safety.State != search.StateExhausted {
			t.Fatalf("%s: %s, %v", engine, res.Safety.State, res.Finding)
		}
		if first == nil {
			first = res
		}
		if a, b := first.Stats, res.Stats; a.States != b.States || engine != search.EngineReference && len(res.Charts) != 3 {
			t.Errorf("%s: %d states, the reference engine %d; %d charts, want 3", engine, b.States, a.States, len(res.Charts))
		}
		for _, never := range res.Never {
			t.Errorf("%s: %s", engine, never)
		}
		t.Log(engine, res.Stats.States, res.Stats.Transitions)
	}
}
