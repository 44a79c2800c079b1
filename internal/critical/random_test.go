package critical_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// A maze is a random system that is small enough to be solved exactly: one node that stands at
// a vertex of a graph. Its run goes along corridors and ends in a trap. From a corridor walks
// escape to live vertices, from some of them seldom. If there are several corridors, a rare
// step leads from a trap to the next corridor.
type maze struct {
	edges [][]edge
	live  []bool
	run   []int // the vertices of the run; the first is where the node starts
}

// edge is an event that leads to a vertex. Its weight, in millionths, is relative to the weights of the other
// edges of the vertex. A rare edge has weight 0 in the system, whatever its Weight is.
type edge struct {
	To     int
	Weight int
	Rare   bool
}

const whole = 1_000_000

// newMaze makes the maze of a seed.
func newMaze(seed uint64) *maze {
	m := &maze{}
	r := rand.New(rand.NewPCG(seed, 1))
	corridors := 1
	if r.IntN(3) == 0 {
		corridors += 1 + r.IntN(2)
	}
	for range corridors {
		last := -1
		if len(m.run) > 0 {
			last = m.run[len(m.run)-1]
		}
		m.corridor(r)
		m.trap(r)
		if last >= 0 { // a rare step revives what was dead
			for i, v := range m.run[:len(m.run)-1] {
				if v == last {
					m.join(v, edge{To: m.run[i+1], Rare: true})
				}
			}
		}
	}
	return m
}

func (m *maze) vertex(live bool) int {
	m.edges, m.live = append(m.edges, nil), append(m.live, live)
	return len(m.edges) - 1
}

// join adds an edge, unless there is one to the same vertex already.
func (m *maze) join(from int, e edge) {
	for _, other := range m.edges[from] {
		if other.To == e.To {
			return
		}
	}
	m.edges[from] = append(m.edges[from], e)
}

// share draws a weight that stands for a probability between 0.0001 and 1. All orders of magnitude are equally
// likely.
func share(r *rand.Rand) int { return max(1, int(whole*math.Pow(10, -4*r.Float64()))) }

// corridor adds a row of vertices to the maze, and to its run. Most of them have an edge to a live vertex, some
// with a small weight. The other edges lead on along the corridor, back, or to a dead end.
func (m *maze) corridor(r *rand.Rand) {
	n := 1 + int(math.Pow(40, r.Float64()))
	first := len(m.edges)
	for range n {
		m.run = append(m.run, m.vertex(false))
	}
	exit := m.vertex(true)
	m.join(exit, edge{To: exit, Weight: whole}) // steady state
	chance := share(r)
	for v := first; v < first+n; v++ {
		if r.IntN(4) == 0 {
			chance = share(r)
		}
		if v+1 < first+n {
			m.join(v, edge{To: v + 1, Weight: whole})
		}
		if r.IntN(5) > 0 {
			m.join(v, edge{To: exit, Weight: chance})
		}
		switch r.IntN(6) {
		case 0:
			m.join(v, edge{To: first + r.IntN(v-first+1), Weight: whole}) // back
		case 1:
			m.join(v, edge{To: m.vertex(false), Weight: share(r)}) // to its end at once
		}
	}
}

// trap adds the end of a corridor, from which no live vertex can be reached: a row of vertices, a ring, or a few
// vertices with edges between them. The edge into it may be rare.
func (m *maze) trap(r *rand.Rand) {
	last := m.run[len(m.run)-1]
	first, n := len(m.edges), 1+r.IntN(5)
	for range n {
		m.vertex(false)
	}
	m.join(last, edge{To: first, Weight: whole, Rare: r.IntN(4) == 0})
	at := first
	switch r.IntN(3) {
	case 0: // they end in the last
		for v := first; v+1 < first+n; v++ {
			m.join(v, edge{To: v + 1, Weight: whole})
		}
	case 1:
		for v := first; v < first+n; v++ {
			m.join(v, edge{To: first + (v-first+1)%n, Weight: whole})
		}
	case 2:
		for v := first; v < first+n; v++ {
			for range 2 {
				m.join(v, edge{To: first + r.IntN(n), Weight: share(r)})
			}
		}
	}
	m.run = append(m.run, at)
	for range r.IntN(20) {
		next := m.edges[at]
		if len(next) == 0 {
			break
		}
		at = next[r.IntN(len(next))].To
		m.run = append(m.run, at)
	}
}

// walker stands at a vertex.
type walker struct {
	At   int
	maze *maze `mc:"-"`
}

func (w *walker) Init(sim.Env)                           {}
func (w *walker) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (w *walker) Handle(_ sim.Env, s sim.Signal)         { w.At = s.(edge).To }
func (w *walker) Offers(offer func(sim.Signal)) {
	for _, e := range w.maze.edges[w.At] {
		offer(e)
	}
}

// system returns the maze as a system. States that its Within excludes from an exhaustive
// search may still be recoverable.
func (m *maze) system() *sim.System {
	return &sim.System{
		Within: sim.While("the first half", func(v sim.View[*walker]) bool {
			for _, w := range v.Nodes() {
				return w.At <= len(m.edges)/2
			}
			return true
		}),
		Name: "maze", Doc: "A node walks through a maze.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &walker{At: m.run[0], maze: m} },
		Weight: func(e sim.Event) float64 {
			if e := e.Value.(edge); !e.Rare {
				return float64(e.Weight) / whole
			}
			return 0
		},
		Properties: []sim.Property{sim.Eventually("it is out", func(v sim.View[*walker]) bool {
			for _, w := range v.Nodes() {
				return m.live[w.At]
			}
			return false
		})},
	}
}

// along is a source that picks the edges of the maze's run.
type along struct {
	*maze
	at int
}

func (a *along) Err() error { return choose.ErrEnd }
func (a *along) Answer(*choose.Question) int {
	if a.at+1 == len(a.run) {
		return -1
	}
	a.at++
	for k, e := range a.edges[a.run[a.at-1]] {
		if e.To == a.run[a.at] {
			return k
		}
	}
	panic(fmt.Sprintf("no edge leads from %d to %d", a.run[a.at-1], a.run[a.at]))
}

// finding returns the run of the maze as a finding that a search would report.
func (m *maze) finding(t testing.TB, sys *sim.System) *search.Finding {
	t.Helper()
	record := choose.NewRecord(&along{maze: m})
	w, err := world.New(sys, sim.Params{}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if f := w.Protect(func() {
		for w.Start(record); w.Step(record) == world.Stepped; {
		}
	}); f != nil || w.Run.Steps() != len(m.run)-1 {
		t.Fatalf("%+v after %d steps of %d", f, w.Run.Steps(), len(m.run)-1)
	}
	path := record.Path()
	path.Header = search.Describe(sys, w.Params())
	path.Add("seed", "1")
	path.Add("verdict", trace.VerdictDead.String())
	return &search.Finding{Failure: trace.Failure{Verdict: trace.VerdictDead, Step: len(path.Steps)}, Path: path}
}

// truth computes the critical step from the graph: the step after the last state of the run from which a live
// vertex can be reached by edges that are not rare.
func (m *maze) truth() int {
	alive := append([]bool{}, m.live...)
	for changed := true; changed; {
		changed = false
		for v := range m.edges {
			for _, e := range m.edges[v] {
				if !e.Rare && alive[e.To] && !alive[v] {
					alive[v], changed = true, true
				}
			}
		}
	}
	critical := 0
	for i, v := range m.run {
		if alive[v] {
			critical = i + 1
		}
	}
	return critical
}

// escapes returns, for each vertex, the chance that a walk of the given number of steps from
// there becomes live.
func (m *maze) escapes(steps int) []float64 {
	now, next := make([]float64, len(m.edges)), make([]float64, len(m.edges))
	for v, live := range m.live {
		if live {
			now[v] = 1
		}
	}
	for range steps {
		most := 0.0
		for v := range m.edges {
			total, sum := 0.0, 0.0
			for _, e := range m.edges[v] {
				if !e.Rare {
					total += float64(e.Weight)
					sum += float64(e.Weight) * now[e.To]
				}
			}
			switch {
			case m.live[v]:
				next[v] = 1
			case total > 0:
				next[v] = sum / total
			}
			most = max(most, math.Abs(next[v]-now[v]))
		}
		now, next = next, now
		if most < 1e-12 {
			break
		}
	}
	return now
}
