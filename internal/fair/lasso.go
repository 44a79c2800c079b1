package fair

// reached says how a state was first reached.
type reached struct {
	known bool
	by    Step
}

// search finds shortest ways from a state to all others.
func (g *Graph) search(from int, keeps func(from, edge int) bool) []reached {
	ways := make([]reached, len(g.Edges))
	met := make([]bool, len(g.Edges))
	met[from] = true
	for todo := []int{from}; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		for k, e := range g.Edges[s] {
			if keeps(s, k) && !ways[e.To].known {
				ways[e.To] = reached{true, Step{s, k}}
				if !met[e.To] {
					met[e.To] = true
					todo = append(todo, e.To)
				}
			}
		}
	}
	return ways
}

// walk returns the way to a state; it is empty if the search began there.
func (g *Graph) walk(ways []reached, from, to int) (steps []Step) {
	for s := to; s != from; s = ways[s].by.State {
		steps = append([]Step{ways[s].by}, steps...)
	}
	return steps
}

// lasso returns a run into a part, with a cycle that takes each edge of the part.
func (g *Graph) lasso(ways []reached, p part) *Lasso {
	first := p.states[0]
	for _, s := range p.states {
		if len(g.walk(ways, g.Start, s)) < len(g.walk(ways, g.Start, first)) {
			first = s
		}
	}
	l, at := &Lasso{Way: g.walk(ways, g.Start, first)}, first
	join := func(to int) {
		l.Cycle = append(l.Cycle, g.walk(g.search(at, p.keeps), at, to)...)
		at = to
	}
	taken := map[Step]bool{}
	for _, s := range p.states {
		for k, e := range g.Edges[s] {
			if p.keeps(s, k) && !taken[Step{s, k}] {
				join(s)
				l.Cycle, at = append(l.Cycle, Step{s, k}), e.To
			}
			for _, step := range l.Cycle {
				taken[step] = true
			}
		}
	}
	join(first)
	return l
}
