package fair

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The twin: for each set of marked choices that are asked no more from some point on, a generalized
// Büchi automaton, with one set of edges for each thing that has to happen again and
// again; a counter makes it an ordinary one, and two nested searches look for a cycle.
type buchi struct {
	g    *Graph
	sets []func(s int, e Edge) bool
	bars []bool // by choice
}

type place struct{ state, count int }

func (b *buchi) next(p place, yield func(place, bool)) {
	for _, e := range b.g.Edges[p.state] {
		if !b.g.Hot[e.To] || slices.ContainsFunc(e.Asked, func(a Answer) bool { return b.bars[a.Choice] }) {
			continue
		}
		count := p.count
		if b.sets[count](p.state, e) {
			count++
		}
		yield(place{e.To, count % len(b.sets)}, count == len(b.sets))
	}
}

// accepts reports whether an accepting edge is on a cycle that can be reached from a state.
func (b *buchi) accepts(start int) bool {
	met := map[place]bool{}
	var outer func(p place) bool
	outer = func(p place) bool {
		if met[p] {
			return false
		}
		met[p] = true
		found := false
		b.next(p, func(to place, accepting bool) {
			if found || outer(to) {
				found = true
				return
			}
			if accepting {
				seen := map[place]bool{}
				var back func(q place) bool
				back = func(q place) bool {
					if q == p {
						return true
					}
					if seen[q] {
						return false
					}
					seen[q] = true
					home := false
					b.next(q, func(to place, _ bool) { home = home || back(to) })
					return home
				}
				found = back(to)
			}
		})
		return found
	}
	return outer(place{start, 0})
}

func twin(g *Graph) bool {
	met := map[int]bool{}
	var all []int
	var visit func(s int)
	visit = func(s int) {
		if !met[s] {
			met[s] = true
			all = append(all, s)
			for _, e := range g.Edges[s] {
				visit(e.To)
			}
		}
	}
	visit(g.Start)
	for _, s := range all {
		if g.Hot[s] && !slices.ContainsFunc(g.Edges[s], func(e Edge) bool { return e.Action >= 0 }) {
			return true
		}
	}
	actions := map[int]bool{}
	for _, edges := range g.Edges {
		for _, e := range edges {
			if e.Action != Unfair {
				actions[e.Action] = true
			}
		}
	}
	for bars := range 1 << len(g.Answers) {
		b := &buchi{g: g, bars: make([]bool, len(g.Answers))}
		b.sets = append(b.sets, func(int, Edge) bool { return true })
		for a := range actions {
			b.sets = append(b.sets, func(s int, e Edge) bool {
				return e.Action == a || !slices.ContainsFunc(g.Edges[s], func(o Edge) bool { return o.Action == a })
			})
		}
		for choice, n := range g.Answers {
			if b.bars[choice] = bars&(1<<choice) != 0; b.bars[choice] {
				continue
			}
			for answer := range n {
				b.sets = append(b.sets, func(_ int, e Edge) bool { return slices.Contains(e.Asked, Answer{choice, answer}) })
			}
		}
		for _, s := range all {
			if g.Hot[s] && b.accepts(s) {
				return true
			}
		}
	}
	return false
}

func draw(rng *rand.Rand) *Graph {
	n := 1 + rng.IntN(8)
	g := &Graph{Hot: make([]bool, n), Edges: make([][]Edge, n)}
	for range rng.IntN(3) {
		g.Answers = append(g.Answers, 2+rng.IntN(2))
	}
	for s := range n {
		g.Hot[s] = rng.IntN(4) > 0
		for range rng.IntN(4) + min(1, rng.IntN(8)) {
			e := Edge{To: rng.IntN(n), Action: rng.IntN(5) - 1}
			if len(g.Answers) > 0 && rng.IntN(2) == 0 {
				c := rng.IntN(len(g.Answers))
				e.Asked = []Answer{{c, rng.IntN(g.Answers[c])}}
			}
			g.Edges[s] = append(g.Edges[s], e)
		}
	}
	return g
}

// holds returns why a lasso is none, by the definitions, or "" if it is one.
func holds(g *Graph, l *Lasso) string {
	at := g.Start
	for _, step := range append(slices.Clone(l.Way), l.Cycle...) {
		if step.State != at {
			return "it is not connected"
		}
		at = g.Edges[at][step.Edge].To
	}
	if len(l.Cycle) == 0 {
		if !g.Hot[at] || slices.ContainsFunc(g.Edges[at], func(e Edge) bool { return e.Action >= 0 }) {
			return "it does not end, or not hot"
		}
		return ""
	}
	if at != l.Cycle[0].State {
		return "it does not return"
	}
	taken, given, asked := map[int]bool{}, map[Answer]bool{}, map[int]bool{}
	for _, step := range l.Cycle {
		e := g.Edges[step.State][step.Edge]
		if !g.Hot[step.State] {
			return "it is cold"
		}
		taken[e.Action] = true
		for _, a := range e.Asked {
			given[a], asked[a.Choice] = true, true
		}
	}
	for action := range 4 {
		if !taken[action] && !slices.ContainsFunc(l.Cycle, func(s Step) bool { return !g.enabled(s.State, action) }) {
			return "an action is enabled for ever and never taken"
		}
	}
	for choice := range asked {
		for answer := range g.Answers[choice] {
			if !given[Answer{choice, answer}] {
				return "a choice is never answered in one way"
			}
		}
	}
	return ""
}

// The verdict on 2,000 random systems is that of the twin, and every lasso is what it says.
func TestBuchi(t *testing.T) {
	var found, strong int
	for seed := range uint64(2000) {
		g := draw(rand.New(rand.NewPCG(seed, 33)))
		l, is := g.Find()
		if want := twin(g); is != want {
			t.Fatalf("seed %d: found %v, the twin %v: %+v", seed, is, want, g)
		}
		if is {
			found++
			if wrong := holds(g, l); wrong != "" {
				t.Fatalf("seed %d: %s: %+v of %+v", seed, wrong, l, g)
			}
		} else if weak := (&Graph{g.Start, g.Hot, g.Edges, nil}); len(g.Answers) > 0 {
			if _, is := weak.Find(); is {
				strong++
			}
		}
	}
	if found < 300 || found > 1700 || strong < 20 {
		t.Errorf("%d are wrong, %d for lack of strong fairness alone: too few to mean anything", found, strong)
	}
	t.Log(found, strong)
}
