package fair

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func draw(rng *rand.Rand) *Graph {
	n := 1 + rng.IntN(8)
	g := &Graph{Hot: make([]bool, n), Edges: make([][]Edge, n)}
	for range rng.IntN(3) {
		g.Answers = append(g.Answers, 2+rng.IntN(2))
	}
	for s := range n {
		g.Hot[s] = rng.IntN(4) > 0
		for range rng.IntN(4) + min(1, rng.IntN(8)) {
			e := Edge{To: int32(rng.IntN(n)), Action: int32(rng.IntN(5) - 1), Cools: uint64(rng.IntN(8)) / 7}
			var asked []Answer
			if len(g.Answers) > 0 && rng.IntN(2) == 0 {
				c := rng.IntN(len(g.Answers))
				asked = []Answer{{c, rng.IntN(g.Answers[c])}}
			}
			g.Add(s, e, asked...)
		}
	}
	return g
}

// holds returns the reason why l is not a lasso of a fair, hot run by the definitions, or "" if it is one.
func holds(g *Graph, l *Lasso) string {
	at := g.Start
	for _, step := range append(slices.Clone(l.Way), l.Cycle...) {
		if step.State != at {
			return "it is not connected"
		}
		at = int(g.Edges[at][step.Edge].To)
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
	taken, given, asked := map[int32]bool{}, map[Answer]bool{}, map[int]bool{}
	for _, step := range l.Cycle {
		e := g.Edges[step.State][step.Edge]
		if !g.Hot[step.State] || e.Cools&1 == 1 {
			return "it is cold"
		}
		taken[e.Action] = true
		for _, a := range g.Asked(e) {
			given[a], asked[a.Choice] = true, true
		}
	}
	for action := range int32(4) {
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

// TestBuchi checks, for 2,000 random systems, that Find agrees with Buchi, and that every lasso is a fair, hot run.
func TestBuchi(t *testing.T) {
	var found, strong int
	for seed := range uint64(2000) {
		g := draw(rand.New(rand.NewPCG(seed, 33)))
		l, is := g.Find()
		if want := Buchi(g); is != want {
			t.Fatalf("seed %d: found %v, the twin %v: %+v", seed, is, want, g)
		}
		if is {
			found++
			if wrong := holds(g, l); wrong != "" {
				t.Fatalf("seed %d: %s: %+v of %+v", seed, wrong, l, g)
			}
		} else if weak := *g; len(g.Answers) > 0 {
			weak.Answers = nil
			if _, is := weak.Find(); is {
				strong++
			}
		}
		inside := inHot(g)
		ever := g.Ever(g.Parts(inside))
		for _, s := range inside { // without the edges of cold states, whatever is found is hot from the start
			alone := *g
			alone.Start, alone.Edges = s, slices.Clone(g.Edges)
			alone.Hot, alone.Edges = append(slices.Clone(g.Hot), false), append(alone.Edges, nil)
			for k := range alone.Edges {
				alone.Edges[k] = slices.Clone(alone.Edges[k])
				for i, e := range alone.Edges[k] {
					if e.Cools == 1 {
						alone.Edges[k][i].To = int32(len(g.Hot))
					}
				}
				if !alone.Hot[k] {
					alone.Edges[k] = nil
				}
			}
			if want := Buchi(&alone); ever[s] != want {
				t.Fatalf("seed %d: from state %d a run is hot for ever: %v, the twin %v: %+v", seed, s, ever[s], want, g)
			}
		}
	}
	if found < 300 || found > 1700 || strong < 20 {
		t.Errorf("%d are wrong, %d for lack of strong fairness alone: too few to mean anything", found, strong)
	}
	t.Log(found, strong)
}

func inHot(g *Graph) (states []int) {
	for s, hot := range g.Hot {
		if hot {
			states = append(states, s)
		}
	}
	return states
}
