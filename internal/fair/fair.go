package fair

import "slices"

// A Graph has numbered states. Runs begin in Start.
type Graph struct {
	Start   int
	Hot     []bool
	Edges   [][]Edge // by state
	Answers []int    // the number of answers of each marked choice
}

// An Edge leads to a state.
type Edge struct {
	To     int
	Action int      // the action that the edge takes, or Unfair
	Asked  []Answer // the marked choices that the edge answers
}

// Meet adds a state, and sets whether it is hot.
func (g *Graph) Meet(s int, hot bool) {
	for len(g.Edges) <= s {
		g.Edges, g.Hot = append(g.Edges, nil), append(g.Hot, false)
	}
	g.Hot[s] = hot
}

// Add adds an edge from a state that was added before, and returns it as a Step.
func (g *Graph) Add(from int, e Edge) Step {
	g.Edges[from] = append(g.Edges[from], e)
	return Step{from, len(g.Edges[from]) - 1}
}

// Ask sets how many answers a choice has; 0 if it was not asked yet.
func (g *Graph) Ask(choice, answers int) { g.Answers[choice] = answers }

// Unfair is the action of an edge that need not be taken: a fault, a request.
const Unfair = -1

// An Answer is an answer to a marked choice.
type Answer struct{ Choice, Answer int }

// A Lasso is a run: the steps of Way, and then the steps of Cycle for ever. If Cycle is
// empty, the run ends after Way, in a state where nothing has to happen.
type Lasso struct{ Way, Cycle []Step }

// A Step identifies an edge in Graph.Edges.
type Step struct{ State, Edge int }

// Find returns a fair run that is hot for ever from some point on, and whether there is
// one. Its Way is a shortest one to its Cycle, which lies in the first component that is
// found.
func (g *Graph) Find() (*Lasso, bool) {
	ways := g.search(g.Start, func(int, int) bool { return true })
	var inside []int
	for s := range g.Edges {
		if g.Hot[s] && (s == g.Start || ways[s].known) {
			inside = append(inside, s)
		}
	}
	for _, s := range inside {
		if g.rests(s) {
			return &Lasso{Way: g.walk(ways, g.Start, s)}, true
		}
	}
	all := func(from, edge int) bool { return g.Hot[g.Edges[from][edge].To] }
	part, found := g.fairPart(inside, all)
	if !found {
		return nil, false
	}
	return g.lasso(ways, part), true
}

// rests reports whether a run may end in a state, since nothing has to happen there.
func (g *Graph) rests(s int) bool {
	return !slices.ContainsFunc(g.Edges[s], func(e Edge) bool { return e.Action != Unfair })
}

// A part is a set of states with some of the edges between them.
type part struct {
	states []int
	keeps  func(from, edge int) bool
}

// fairPart returns a strongly connected part of the states that has a fair run.
func (g *Graph) fairPart(states []int, keeps func(from, edge int) bool) (part, bool) {
	for _, c := range g.components(states, keeps) {
		within := func(from, edge int) bool {
			_, to := slices.BinarySearch(c, g.Edges[from][edge].To)
			return to && keeps(from, edge)
		}
		if !g.weaklyFair(c, within) {
			continue
		}
		lacking := g.lacking(c, within)
		if len(lacking) == 0 {
			return part{c, within}, true
		}
		fewer := func(from, edge int) bool {
			return within(from, edge) && !slices.ContainsFunc(g.Edges[from][edge].Asked, func(a Answer) bool { return slices.Contains(lacking, a.Choice) })
		}
		if p, found := g.fairPart(c, fewer); found {
			return p, true
		}
	}
	return part{}, false
}

// weaklyFair reports whether a component has edges, and one of each action that is enabled
// in all of its states.
func (g *Graph) weaklyFair(c []int, within func(from, edge int) bool) bool {
	taken, edges := map[int]bool{}, 0
	for _, s := range c {
		for k, e := range g.Edges[s] {
			if within(s, k) {
				taken[e.Action] = true
				edges++
			}
		}
	}
	if edges == 0 {
		return false
	}
	for _, e := range g.Edges[c[0]] {
		if e.Action != Unfair && !taken[e.Action] && !slices.ContainsFunc(c, func(s int) bool { return !g.enabled(s, e.Action) }) {
			return false
		}
	}
	return true
}

func (g *Graph) enabled(s, action int) bool {
	return slices.ContainsFunc(g.Edges[s], func(e Edge) bool { return e.Action == action })
}

// lacking returns the choices that a component asks and does not answer in all ways.
func (g *Graph) lacking(c []int, within func(from, edge int) bool) (choices []int) {
	given := map[Answer]bool{}
	for _, s := range c {
		for k, e := range g.Edges[s] {
			if within(s, k) {
				for _, a := range e.Asked {
					given[a] = true
				}
			}
		}
	}
	for choice, n := range g.Answers {
		count := 0
		for answer := range n {
			if given[Answer{choice, answer}] {
				count++
			}
		}
		if count > 0 && count < n {
			choices = append(choices, choice)
		}
	}
	return choices
}

// components returns the strongly connected components of the states, each sorted. It is
// Tarjan's algorithm with an explicit stack.
func (g *Graph) components(states []int, keeps func(from, edge int) bool) (all [][]int) {
	type frame struct{ state, edge int }
	index, low, on := map[int]int{}, map[int]int{}, map[int]bool{}
	var stack []int
	for _, root := range states {
		if _, known := index[root]; known {
			continue
		}
		calls := []frame{{root, 0}}
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			s := f.state
			if f.edge == 0 {
				index[s], low[s], on[s] = len(index), len(index), true
				stack = append(stack, s)
			}
			down := false
			for ; f.edge < len(g.Edges[s]) && !down; f.edge++ {
				to := g.Edges[s][f.edge].To
				if !keeps(s, f.edge) {
					continue
				}
				if _, known := index[to]; !known {
					calls, down = append(calls, frame{to, 0}), true
				} else if on[to] {
					low[s] = min(low[s], index[to])
				}
				if down {
					break
				}
			}
			if down {
				calls[len(calls)-2].edge++
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].state
				low[up] = min(low[up], low[s])
			}
			if low[s] == index[s] {
				at := slices.Index(stack, s)
				c := slices.Sorted(slices.Values(stack[at:]))
				for _, member := range c {
					on[member] = false
				}
				all, stack = append(all, c), stack[:at]
			}
		}
	}
	return all
}
