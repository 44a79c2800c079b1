package mdb

import (
	"strings"
	"testing"

	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
)

// chain passes a number from each node to the next, by all links in turn.
type chain struct{ has int }

type (
	pass  struct{ hops int }
	start struct{}
)

func (c *chain) Init(sim.Env) {}

func (c *chain) Handle(env sim.Env, s sim.Signal) {
	if _, is := s.(start); is {
		c.take(env, 1)
	}
}

func (c *chain) Deliver(env sim.Env, _ sim.Addr, m sim.Message) { c.take(env, m.(pass).hops) }

// Accepts makes the world keep what each node accepts.
func (c *chain) Accepts(_ sim.Addr, m sim.Message) bool { return m.(pass).hops > c.has }

func (c *chain) take(env sim.Env, hops int) {
	c.has = hops
	if peers := env.Peers(); hops <= len(peers) {
		port := [...]func() sim.Port{func() sim.Port { return env.TCP() }, env.UDP, env.Set, env.Bag}[hops%4]()
		port.Send(peers[hops-1], pass{hops + 1}) // the peers of n0 are n1, n2, ...; of a later node, it is left out
	}
}

// chainOf returns a system of such nodes, with the property that all numbers are less than bad.
func chainOf(bad int) *sim.System {
	return &sim.System{
		Name:  "chain",
		Doc:   "Nodes pass a number from each to the next. No number is too large.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 100, Least: 1, Most: 160} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &chain{} },
		Script: func(_ sim.Params, a sim.Addr, life int) []sim.Signal {
			if a.Index() == 0 && life == 0 {
				return []sim.Signal{start{}}
			}
			return nil
		},
		Properties: []sim.Property{
			sim.Each("no number is too large", func(v sim.View[*chain]) bool {
				for _, c := range v.Nodes() {
					return c.has < bad
				}
				return true
			}),
			sim.Eventually("some node has the last number", func(v sim.View[*chain]) bool {
				for _, c := range v.Nodes() {
					if c.has == v.Params().Nodes {
						return true
					}
				}
				return false
			}),
		},
	}
}

// A system of a hundred nodes is searched by every engine and by walks with faults of nodes
// beyond the sixty-fourth; its finding replays, and mdb shows the nodes.
func TestHundredNodes(t *testing.T) {
	t.Run("every engine exhausts it", func(t *testing.T) {
		for engine, nodes := range map[search.Engine]int{search.EngineMemo: 100, search.EngineLocal: 70, search.EngineReference: 70} {
			res, err := search.Search(chainOf(1000), search.Options{
				Params: sim.Params{Nodes: nodes}, Engine: engine, NoWalks: true, Workers: 1, Effort: 10_000,
			})
			if err != nil {
				t.Fatal(engine, err)
			}
			if res.Finding != nil || res.Stats.States != nodes+1 || res.Cut != "" {
				t.Errorf("%s: %d states, cut %q, finding %+v", engine, res.Stats.States, res.Cut, res.Finding)
			}
		}
	})
	t.Run("faults reach every node", func(t *testing.T) {
		faults := sim.Faults{Crash: 1, Pause: 1, Only: "crash@n90,pause@n95"}
		res, err := search.Search(chainOf(1000), search.Options{
			Conditions: sim.Conditions{Faults: &faults}, Workers: 1, Depth: 1, Paths: 4, WalkSteps: 2000,
		})
		if err != nil || res.Finding != nil {
			t.Fatal(err, res)
		}
		paused := 0
		w, err := world.New(chainOf(1000), sim.Params{}, world.Config{Conditions: sim.Conditions{Faults: &faults}})
		if err != nil {
			t.Fatal(err)
		}
		if f := w.Protect(func() {
			w.Start(nil)
			for k := range w.Events.Count() {
				if e := w.Events.At(k); e.Kind == sim.KindPause && e.Node.String() == "n95" {
					w.Retake(k, nil)
					paused++
					break
				}
			}
			for k := range w.Events.Count() {
				if w.Events.At(k).Kind == sim.KindResume {
					paused++
				}
			}
		}); f != nil || paused != 2 {
			t.Errorf("%+v, paused %d", f, paused)
		}
	})
	t.Run("a finding replays", func(t *testing.T) {
		sys := chainOf(98)
		res, err := search.Search(sys, search.Options{Depth: 1, Walks: 20, Workers: 1, ExplainEffort: 1000})
		if err != nil || res.Finding == nil {
			t.Fatal(err, res)
		}
		replayed, err := search.Replay(sys, res.Finding.Path, search.Options{})
		if err != nil || replayed.Finding == nil || replayed.Finding.Failure.Node.String() != "n97" {
			t.Fatalf("%v: %+v", err, replayed)
		}
	})
	t.Run("mdb shows it", func(t *testing.T) {
		s, err := Opener{Find: func(string) (*sim.System, error) { return chainOf(98), nil }, Tool: "macemc"}.Open("chain", Settings{Nodes: 100})
		if err != nil {
			t.Fatal(err)
		}
		for range 90 {
			must(t, s, "take 0")
		}
		if text := must(t, s, "state n89"); !strings.Contains(text, "90") {
			t.Errorf("n89 is shown as\n%s", text)
		}
	})
}
