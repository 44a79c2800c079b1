package fair

import "slices"

// A Graph is a graph of states, which have numbers. Each state is hot or not, and has the edges that lead
// from it. Only Find uses the edges of states that are not hot.
type Graph struct {
	Start   int // the state in which runs begin, for Find
	Hot     []bool
	Edges   [][]Edge // by state
	Answers []int    // the number of answers of each marked choice
	Of      int      // the number of the property that the graph is about; only its bit of Edge.Cools counts

	lists  [][]Answer // the lists of answers, to which edges refer by number, from 1
	known  map[string]int32
	member []int32 // by state: the number of the component that it belongs to
	parts  int32   // the number of components so far
}

// An Edge is a step from one state to another, To.
type Edge struct {
	To     int32
	Action int32  // the action that the edge takes, or Unfair
	asks   int32  // the list of marked choices that it answers; 0 if there are none
	How    uint32 // any number of the caller's
	Cools  uint64 // by number of a property, a bit that says whether the step is cold: it counts as if it led to a cold state
}

// Meet adds the state s, and sets whether it is hot.
func (g *Graph) Meet(s int, hot bool) {
	for len(g.Edges) <= s {
		g.Edges, g.Hot = append(g.Edges, nil), append(g.Hot, false)
	}
	g.Hot[s] = hot
}

// About makes the graph be about the property with this number: from now on only its bit in Edge.Cools says
// whether a step is cold.
func (g *Graph) About(property int) { g.Of = property }

// Add adds an edge from a state, which must have been added, and returns it as a Step. asked has the marked
// choices that the edge answers.
func (g *Graph) Add(from int, e Edge, asked ...Answer) Step {
	if len(asked) > 0 {
		e.asks = g.list(asked)
	}
	g.Edges[from] = append(g.Edges[from], e)
	return Step{from, len(g.Edges[from]) - 1}
}

// list returns the number of a list of answers, which it adds if it is new.
func (g *Graph) list(asked []Answer) int32 {
	key := make([]byte, 0, 8)
	for _, a := range asked {
		key = append(key, byte(a.Choice), byte(a.Choice>>8), byte(a.Answer), byte(a.Answer>>8), byte(a.Answer>>16))
	}
	n, known := g.known[string(key)]
	if !known {
		if g.known == nil {
			g.known, g.lists = map[string]int32{}, [][]Answer{nil}
		}
		n = int32(len(g.lists))
		g.known[string(key)], g.lists = n, append(g.lists, slices.Clone(asked))
	}
	return n
}

// Asked returns the answers that an edge gives to marked choices.
func (g *Graph) Asked(e Edge) []Answer {
	if e.asks == 0 {
		return nil
	}
	return g.lists[e.asks]
}

// Ask records that a marked choice was asked, with a number of possible answers. If that number varies, the
// largest counts.
func (g *Graph) Ask(choice, answers int) { g.Answers[choice] = max(g.Answers[choice], answers) }

// Unfair is the action of an edge that need not be taken: a fault, a request.
const Unfair = -1

// An Answer is one answer to a marked choice: a choice of the service for which each answer must come up
// again and again.
type Answer struct{ Choice, Answer int }

// A Lasso is a run: the steps of Way, and then those of Cycle over and over, without end. But if Cycle is
// empty, the run ends after Way, in a state where nothing has to happen.
type Lasso struct{ Way, Cycle []Step }

// A Step identifies an edge in Graph.Edges.
type Step struct{ State, Edge int }

// Find returns a fair run from Start that is hot for ever from some point on, and whether there is one. Its
// Way is a shortest way to a state from which there is such a run.
func (g *Graph) Find() (*Lasso, bool) {
	ways := g.search(g.Start, func(int, int) bool { return true })
	near := func(s int) bool { return s == g.Start || ways[s].known }
	var inside []int
	for s := range g.Edges {
		if g.Hot[s] && near(s) {
			inside = append(inside, s)
		}
	}
	for _, s := range inside {
		if g.Rests(s) {
			return &Lasso{Way: g.walk(ways, g.Start, s)}, true
		}
	}
	parts := g.Parts(inside)
	if len(parts) == 0 {
		return nil, false
	}
	p, first := parts[0], parts[0].States[0]
	for _, s := range p.States {
		if len(g.walk(ways, g.Start, s)) < len(g.walk(ways, g.Start, first)) {
			first = s
		}
	}
	return &Lasso{Way: g.walk(ways, g.Start, first), Cycle: g.Cycle(p, first)}, true
}

// Rests reports whether a run may end in the state s, since nothing has to happen there.
func (g *Graph) Rests(s int) bool {
	return !slices.ContainsFunc(g.Edges[s], func(e Edge) bool { return e.Action != Unfair })
}

// A Part is a set of states with the edges between them, except the edges that answer one of the choices in
// bars. It is strongly connected, and the run that takes all of its edges for ever is fair.
type Part struct {
	States []int
	number int32
	bars   []int
}

func (g *Graph) keeps(p *Part, e Edge) bool {
	return g.stays(e) && g.member[e.To] == p.number && !slices.ContainsFunc(g.Asked(e), func(a Answer) bool { return slices.Contains(p.bars, a.Choice) })
}

// Parts returns all parts among some hot states: every fair run that stays among these for ever is in one
// of them from some point on.
func (g *Graph) Parts(states []int) []Part {
	g.member, g.parts = make([]int32, len(g.Edges)), 1
	for _, s := range states {
		g.member[s] = 1
	}
	return g.fairParts(&Part{States: states, number: 1})
}

// stays reports whether a run that takes the edge stays hot: the edge leads to a hot state, and is not cold
// itself.
func (g *Graph) stays(e Edge) bool { return g.Hot[e.To] && e.Cools>>g.Of&1 == 0 }

func (g *Graph) fairParts(of *Part) (all []Part) {
	for _, c := range g.components(of) {
		if !g.weaklyFair(&c) {
			continue
		}
		lacking := g.lacking(&c)
		if len(lacking) == 0 {
			all = append(all, c)
			continue
		}
		c.bars = append(slices.Clone(c.bars), lacking...)
		all = append(all, g.fairParts(&c)...)
	}
	return all
}

// weaklyFair reports whether a run that takes all edges of a component for ever is weakly fair: the
// component has edges and, for each action that is enabled in all of its states, one that takes the action.
func (g *Graph) weaklyFair(c *Part) bool {
	first := c.States[0]
	for _, s := range c.States {
		if len(g.Edges[s]) < len(g.Edges[first]) {
			first = s
		}
	}
	lacking := map[int32]bool{}
	for _, e := range g.Edges[first] {
		if e.Action != Unfair {
			lacking[e.Action] = true
		}
	}
	edges := false
	for _, s := range c.States {
		for _, e := range g.Edges[s] {
			if g.keeps(c, e) {
				edges = true
				delete(lacking, e.Action)
			}
		}
	}
	for _, s := range c.States {
		for action := range lacking {
			if !g.enabled(s, action) {
				delete(lacking, action)
			}
		}
	}
	return edges && len(lacking) == 0
}

func (g *Graph) enabled(s int, action int32) bool {
	return slices.ContainsFunc(g.Edges[s], func(e Edge) bool { return e.Action == action })
}

// lacking returns the marked choices that edges of a component answer, but not in all ways.
func (g *Graph) lacking(c *Part) (choices []int) {
	given := map[Answer]bool{}
	for _, s := range c.States {
		for _, e := range g.Edges[s] {
			if e.asks > 0 && g.keeps(c, e) {
				for _, a := range g.Asked(e) {
					given[a] = true
				}
			}
		}
	}
	return g.half(given)
}

// half returns the marked choices for which given has some answers but not all.
func (g *Graph) half(given map[Answer]bool) (choices []int) {
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

// components returns the strongly connected components of the states of a part, each with its states
// sorted, and records in g.member to which one each state belongs. It is Tarjan's algorithm with an
// explicit stack.
func (g *Graph) components(of *Part) (all []Part) {
	type frame struct{ state, edge int }
	index, low, on := make(map[int]int, len(of.States)), make(map[int]int, len(of.States)), make(map[int]bool, len(of.States))
	var stack []int
	var calls []frame
	enter := func(s int) {
		index[s], low[s], on[s] = len(index), len(index), true
		stack, calls = append(stack, s), append(calls, frame{s, 0})
	}
	for _, root := range of.States {
		if _, met := index[root]; met {
			continue
		}
		for enter(root); len(calls) > 0; {
			f := &calls[len(calls)-1]
			s := f.state
			if f.edge < len(g.Edges[s]) {
				e := g.Edges[s][f.edge]
				f.edge++
				if !g.keeps(of, e) {
					continue
				}
				to := int(e.To)
				if _, met := index[to]; !met {
					enter(to)
				} else if on[to] {
					low[s] = min(low[s], index[to])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].state
				low[up] = min(low[up], low[s])
			}
			if low[s] == index[s] {
				at := len(stack) - 1
				for stack[at] != s {
					at--
				}
				c := Part{States: slices.Sorted(slices.Values(stack[at:])), bars: of.bars}
				for _, member := range c.States {
					on[member] = false
				}
				all, stack = append(all, c), stack[:at]
			}
		}
	}
	for k := range all {
		g.parts++
		all[k].number = g.parts
		for _, s := range all[k].States {
			g.member[s] = g.parts
		}
	}
	return all
}

// Ever reports for each hot state whether some fair run from it stays hot for ever: a run that ends up in
// one of the parts, or in a state where nothing has to happen.
func (g *Graph) Ever(parts []Part) []bool {
	ever := make([]bool, len(g.Edges))
	var todo []int
	from := make([][]int32, len(g.Edges))
	for s, edges := range g.Edges {
		if !g.Hot[s] {
			continue
		}
		if g.Rests(s) {
			ever[s], todo = true, append(todo, s)
		}
		for _, e := range edges {
			if g.stays(e) {
				from[e.To] = append(from[e.To], int32(s))
			}
		}
	}
	for _, p := range parts {
		for _, s := range p.States {
			if !ever[s] {
				ever[s], todo = true, append(todo, s)
			}
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for _, s := range from[todo[0]] {
			if !ever[s] {
				ever[s], todo = true, append(todo, int(s))
			}
		}
	}
	return ever
}
