package critical_test

import (
	"math/rand/v2"
	"testing"

	"macemc/internal/critical"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/sim"
)

// rambler goes along the edges of a graph. If the graph's field noted is set, it records in Bad that it has
// taken a bad edge.
type rambler struct {
	At    int
	Bad   bool
	graph *graph `mc:"-"`
}

// graph is a random graph, some of whose edges are bad.
type graph struct {
	to    [][]int
	bad   map[[2]int]bool
	noted bool
}

type ramble struct{ To int }

func (*rambler) Init(sim.Env)                           {}
func (*rambler) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (r *rambler) Offers(offer func(sim.Signal)) {
	for _, v := range r.graph.to[r.At] {
		offer(ramble{v})
	}
}

func (r *rambler) Handle(_ sim.Env, s sim.Signal) {
	to := s.(ramble).To
	r.Bad = r.graph.noted && r.graph.bad[[2]int{r.At, to}]
	r.At = to
}

func newGraph(seed uint64) *graph {
	r, n := rand.New(rand.NewPCG(seed, 7)), 8
	g := &graph{to: make([][]int, n), bad: map[[2]int]bool{}}
	for v := range n {
		for range 1 + r.IntN(3) {
			to := r.IntN(n)
			g.to[v] = append(g.to[v], to)
			g.bad[[2]int{v, to}] = r.IntN(5) == 0 || g.bad[[2]int{v, to}]
		}
	}
	return g
}

// system returns the graph as a system. Its property forbids bad edges: as a property of steps or, if noted
// is true, as a property of states.
func (g *graph) system(noted bool) *sim.System {
	h := *g
	h.noted = noted
	promise := sim.Steps("no bad edge", func(before, after sim.View[*rambler]) bool {
		was, _ := before.At(before.Params().Addr(0))
		is, _ := after.At(after.Params().Addr(0))
		return !h.bad[[2]int{was.At, is.At}]
	})
	if noted {
		promise = sim.Always("no bad edge", func(v sim.View[*rambler]) bool {
			r, _ := v.At(v.Params().Addr(0))
			return !r.Bad
		})
	}
	return &sim.System{
		Name: "graph", Doc: "A node goes along edges.",
		Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:        func(sim.Params, sim.Addr) sim.Node { return &rambler{graph: &h} },
		Properties: []sim.Property{promise},
	}
}

// TestCriticalOfSteps: the critical step of a run that violates a property of steps is found exactly. It is the
// same as in the twin of the service that records bad edges and violates a property of states.
func TestCriticalOfSteps(t *testing.T) {
	violated, steps := 0, map[int]bool{}
	for seed := range uint64(long.Of(60, 1_000)) {
		g := newGraph(seed)
		sys, twin := g.system(false), g.system(true)
		res, err := search.Search(sys, search.Options{Depth: 1, Walks: 50, Seed: seed + 1})
		if err != nil {
			t.Fatal(err)
		}
		if res.Finding == nil {
			continue
		}
		violated++
		got := find(t, sys, res.Finding, critical.Options{NoLive: true, Effort: -1}).Critical
		steps[got.Step] = true
		want := find(t, twin, res.Finding, critical.Options{NoLive: true, Effort: -1}).Critical
		if !got.Exact || !want.Exact || got.Step != want.Step {
			t.Errorf("graph %d: critical is %+v, and as a property of states %+v", seed, got, want)
		}
	}
	t.Logf("%d graphs were violated", violated)
	if violated < 10 || len(steps) < 3 {
		t.Errorf("%d graphs were violated, with the critical steps %v", violated, steps)
	}
}
