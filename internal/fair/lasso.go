package fair

// reached says whether a search has reached a state, and by which edge first.
type reached struct {
	known bool
	by    Step
}

// search finds shortest ways from a state to all others, by edges for which keeps returns true.
func (g *Graph) search(from int, keeps func(from, edge int) bool) []reached {
	ways := make([]reached, len(g.Edges))
	met := make([]bool, len(g.Edges))
	met[from] = true
	for todo := []int{from}; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		for k, e := range g.Edges[s] {
			if to := int(e.To); keeps(s, k) && !ways[to].known {
				ways[to] = reached{true, Step{s, k}}
				if !met[to] {
					met[to] = true
					todo = append(todo, to)
				}
			}
		}
	}
	return ways
}

// walk returns the steps of a shortest way from one state to another, given what search has found. It is
// empty if both are the same.
func (g *Graph) walk(ways []reached, from, to int) (steps []Step) {
	for s := to; s != from; s = ways[s].by.State {
		steps = append([]Step{ways[s].by}, steps...)
	}
	return steps
}

// Cycle returns a way within a part, from a state back to that state, which is a fair run if it is repeated
// for ever. It begins with one edge, and then goes to each edge that fairness still demands, the nearest
// first, and back by a shortest way.
func (g *Graph) Cycle(p Part, from int) (cycle []Step) {
	at := from
	goes := func(wants func(Step) bool) bool {
		way, found := g.nearest(&p, at, wants)
		if found {
			cycle = append(cycle, way...)
			last := way[len(way)-1]
			at = int(g.Edges[last.State][last.Edge].To)
		}
		return found
	}
	home := func(s Step) bool { return int(g.Edges[s.State][s.Edge].To) == from }
	for {
		wants := g.wants(cycle, at)
		if wants == nil && at == from {
			return cycle
		}
		if wants == nil { // the way back may ask further choices, and then the cycle needs more steps
			wants = home
		}
		if !goes(wants) {
			panic("macemc bug: fair: a part lacks what makes it fair, or is not strongly connected")
		}
	}
}

// wants returns a function that reports whether a cycle, which has come to the state at, still lacks a step.
// It returns nil if the cycle is fair.
func (g *Graph) wants(cycle []Step, at int) func(Step) bool {
	if len(cycle) == 0 {
		return func(Step) bool { return true }
	}
	given, taken := map[Answer]bool{}, map[int32]bool{}
	for _, s := range cycle {
		e := g.Edges[s.State][s.Edge]
		taken[e.Action] = true
		for _, a := range g.Asked(e) {
			given[a] = true
		}
	}
	for _, e := range g.Edges[cycle[0].State] {
		action, always := e.Action, e.Action != Unfair && !taken[e.Action] && g.enabled(at, e.Action)
		for _, s := range cycle {
			always = always && g.enabled(s.State, action)
		}
		if always {
			return func(s Step) bool {
				e := g.Edges[s.State][s.Edge]
				return e.Action == action || !g.enabled(int(e.To), action)
			}
		}
	}
	if half := g.half(given); len(half) > 0 {
		return func(s Step) bool {
			for _, a := range g.Asked(g.Edges[s.State][s.Edge]) {
				if a.Choice == half[0] && !given[a] {
					return true
				}
			}
			return false
		}
	}
	return nil
}

// nearest returns a shortest way within a part, from a state, that ends with a step for which wants returns
// true.
func (g *Graph) nearest(p *Part, from int, wants func(Step) bool) ([]Step, bool) {
	by := map[int]Step{}
	for todo := []int{from}; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		for k, e := range g.Edges[s] {
			if !g.keeps(p, e) {
				continue
			}
			step, to := Step{s, k}, int(e.To)
			if wants(step) {
				way := []Step{step}
				for s != from {
					way = append([]Step{by[s]}, way...)
					s = by[s].State
				}
				return way, true
			}
			if _, met := by[to]; !met && to != from {
				by[to] = step
				todo = append(todo, to)
			}
		}
	}
	return nil, false
}
