package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macemc/internal/long"
	"macemc/internal/toy"
	"macemc/sim"
	"macemc/trace"
)

// maze is a toy system, as one graph for each node. The method walk visits its states breadth first,
// without runs, answers or hashes. So it is a simple twin with which searches are compared.
type maze []room

type room struct {
	edges [][]passage // by vertex
	bad   []bool
}

// passage is an event of a node: it leads to the vertex in to, or to one of several by a coin.
type passage struct {
	to   []int
	rare bool
}

// randomMaze draws a maze of one to three nodes.
func randomMaze(r *rand.Rand) maze {
	m := make(maze, 1+r.IntN(3))
	for i := range m {
		n := 3 + r.IntN(12)/len(m)
		m[i] = room{make([][]passage, n), make([]bool, n)}
		for v := range n {
			m[i].bad[v] = r.IntN(20) == 0
			seen := map[string]bool{}
			for range min(r.IntN(8), 1+r.IntN(3)) {
				p := passage{to: []int{near(r, v, n)}, rare: r.IntN(5) == 0}
				if !p.rare && r.IntN(3) == 0 {
					for range 1 + r.IntN(3) {
						p.to = append(p.to, r.IntN(n))
					}
				}
				if text := p.String(); !seen[text] { // equal ones would be one event
					seen[text] = true
					m[i].edges[v] = append(m[i].edges[v], p)
				}
			}
		}
	}
	return m
}

// near draws a vertex to which an edge from v leads. Mostly it is v+1, so that some vertices are far from
// the start.
func near(r *rand.Rand, v, n int) int {
	if v+1 < n && r.IntN(5) > 0 {
		return v + 1
	}
	return r.IntN(n)
}

func (p passage) String() string {
	var b strings.Builder
	if len(p.to) > 1 {
		b.WriteString("-?->")
	} else {
		b.WriteString("->")
	}
	for _, v := range p.to {
		fmt.Fprintf(&b, " v%d", v)
	}
	if p.rare {
		b.WriteString(" rare")
	}
	return b.String()
}

// String returns the description of the maze as a toy. A description names a vertex only by its edges.
// So each vertex gets an edge from the vertex "outside", which is never reached.
func (m maze) String() string {
	var b strings.Builder
	for _, r := range m {
		b.WriteString("start: v0\n")
		for v, edges := range r.edges {
			fmt.Fprintf(&b, "outside -> v%d\n", v)
			for _, p := range edges {
				fmt.Fprintf(&b, "v%d %s\n", v, p)
			}
		}
		b.WriteString("outside -> bad\nbad: bad")
		for v, bad := range r.bad {
			if bad {
				fmt.Fprintf(&b, " v%d", v)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// spread is the result of a breadth-first walk of a maze.
type spread struct {
	states      int
	transitions int
	shallowest  int // steps to the first bad state, or -1 if there is none
	deepest     int // steps to the last new state
}

// walk goes breadth first, to a depth. It stops at the first bad state.
func (m maze) walk(most int) spread {
	s := spread{shallowest: -1}
	level, known := [][]int{make([]int, len(m))}, map[string]bool{}
	known[fmt.Sprint(level[0])] = true
	for depth := 0; len(level) > 0; depth++ {
		var next [][]int
		for _, at := range level {
			if m.isBad(at) {
				s.shallowest = depth
				return s
			}
			s.states++
			s.deepest = depth
			if depth == most {
				continue
			}
			for _, to := range m.successors(at) {
				s.transitions++
				if name := fmt.Sprint(to); !known[name] {
					known[name] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return s
}

func (m maze) isBad(at []int) bool {
	for i, v := range at {
		if m[i].bad[v] {
			return true
		}
	}
	return false
}

func (m maze) successors(at []int) (all [][]int) {
	for i, v := range at {
		for _, p := range m[i].edges[v] {
			for _, to := range p.to {
				next := slices.Clone(at)
				next[i] = to
				all = append(all, next)
			}
		}
	}
	return all
}

// TestEnginesAgainstBreadthFirst: with every bound, every engine visits the same number of states and transitions as the simple twin, and
// finds the shallowest bad state at the same depth.
func TestEnginesAgainstBreadthFirst(t *testing.T) {
	mazes := long.Of(5, 200)
	bad, good, deep := 0, 0, 0
	for seed := range uint64(mazes) {
		m := randomMaze(rand.New(rand.NewPCG(seed, 0)))
		sys, err := toy.Parse(m.String())
		if err != nil {
			t.Fatalf("maze %d: %v\n%s", seed, err, m)
		}
		whole := m.walk(1 << 30)
		for _, depth := range []int{1, 2, 3, whole.deepest, whole.deepest + 1, 0} {
			compare(t, seed, m, sys, depth, EngineReference)
			compare(t, seed, m, sys, depth, EngineLocal)
			compare(t, seed, m, sys, depth, EngineMemo)
		}
		switch {
		case whole.shallowest >= 0:
			bad++
		default:
			good++
		}
		if whole.deepest > 5 { // more than one round
			deep++
		}
	}
	if bad < mazes/5 || good < mazes/5 || deep < mazes/10 {
		t.Errorf("the mazes are too alike: %d bad, %d good, %d deep", bad, good, deep)
	}
}

func compare(t *testing.T, seed uint64, m maze, sys *sim.System, depth int, engine Engine) {
	t.Helper()
	most := depth
	if most == 0 {
		most = 1 << 30
	}
	want := m.walk(most)
	res, err := Search(sys, Options{Engine: engine, Depth: depth, Effort: 1 << 30, NoWalks: true, once: true})
	if err != nil {
		t.Fatalf("maze %d: %v", seed, err)
	}
	got := spread{res.Stats.States, res.Stats.Transitions, -1, want.deepest}
	if f := res.Finding; f != nil {
		got = spread{want.states, want.transitions, f.Step, want.deepest}
		if f.Verdict != trace.VerdictSafety || len(f.Path.Steps) != f.Step {
			t.Errorf("maze %d: found is %+v", seed, f)
		}
	}
	if got != want {
		t.Errorf("maze %d to depth %d: engine %s sees %+v, the twin %+v\n%s", seed, depth, engine, got, want, m)
	}
	exhausted := want.shallowest < 0 && m.walk(most).states == m.walk(1<<30).states && most > want.deepest
	if is := res.Safety.State == StateExhausted; is != exhausted {
		t.Errorf("maze %d to depth %d: safety is %s, and exhausted should be %v\n%s", seed, depth, res.Safety.State, exhausted, m)
	}
}
