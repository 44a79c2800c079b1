package fair

import "slices"

// A Graph is of states by number. Start is where runs begin.
type Graph struct {
	Start   int
	Hot     []bool
	Edges   [][]Edge // by state
	Answers []int    // by marked choice: how many answers it has
}

// An Edge leads to a state.
type Edge struct {
	To     int
	Action int      // what is taken; Unfair: it need not be, though it is always enabled
	Asked  []Answer // the marked choices on the way
}

// Meet makes room for a state, which is hot or cold.
func (g *Graph) Meet(s int, hot bool) {
	for len(g.Edges) <= s {
		g.Edges, g.Hot = append(g.Edges, nil), append(g.Hot, false)
	}
	g.Hot[s] = hot
}

// Add adds an edge from a state that was met, and returns its place.
func (g *Graph) Add(from int, e Edge) Step {
	g.Edges[from] = append(g.Edges[from], e)
	return Step{from, len(g.Edges[from]) - 1}
}

// Ask notes how many answers a choice has; 0: it was not asked yet.
func (g *Graph) Ask(choice, answers int) { g.Answers[choice] = answers }

// Unfair is the action of what nobody has to let happen: a fault, a request.
const Unfair = -1

// An Answer is one that was given to a marked choice.
type Answer struct{ Choice, Answer int }

// A Lasso is a run: a way, and a cycle that is taken for ever. If Cycle is empty, the run ends
// after the way, where nothing has to happen.
type Lasso struct{ Way, Cycle []Step }

// A Step is an edge, by its place in Graph.Edges.
type Step struct{ State, Edge int }

// Find returns a fair run that is hot for ever from some point on, and whether there is one. The way to
// its cycle is a shortest one, and the cycle is that of the first component that is found.
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

// rests reports whether a run may end in a state: nothing has to happen there.
func (g *Graph) rests(s int) bool {
	return !slices.ContainsFunc(g.Edges[s], func(e Edge) bool { return e.Action != Unfair })
}

// A part is some states, and which of their edges may be taken.
type part struct {
	states []int
	keeps  func(from, edge int) bool
}

// fairPart looks for a strongly connected part of some states that has a fair run.
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

// weaklyFair reports whether a component has an edge at all, and one of each action that is
// enabled in all of its states.
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

// lacking are the choices that a component asks, and does not answer in each way.
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

// components are the strongly connected components of some states, each in order, by Tarjan's
// algorithm on a stack of its own.
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
