package fair

import "slices"

// buchi is a generalized Büchi automaton: it has one set of edges for each event that must occur infinitely
// often. A counter turns it into an ordinary Büchi automaton, in which two nested searches look for a cycle.
type buchi struct {
	g    *Graph
	sets []func(s int, e Edge) bool
	bars []bool // by marked choice, whether it is not asked any more from some point on
}

type place struct{ state, count int }

func (b *buchi) next(p place, yield func(place, bool)) {
	for _, e := range b.g.Edges[p.state] {
		if !b.g.Hot[e.To] || e.Cools&1 == 1 || slices.ContainsFunc(b.g.Asked(e), func(a Answer) bool { return a.Choice < len(b.bars) && b.bars[a.Choice] }) {
			continue
		}
		count := p.count
		if b.sets[count](p.state, e) {
			count++
		}
		yield(place{int(e.To), count % len(b.sets)}, count == len(b.sets))
	}
}

// accepts reports whether some cycle that can be reached from start has an accepting edge.
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

// Buchi reports whether some fair run from the start of a graph stays hot for ever from some point on. It
// decides this slowly, by an ordinary Büchi automaton, for tests: it shares nothing with Find but the graph.
func Buchi(g *Graph) bool {
	met := map[int]bool{}
	var all []int
	var visit func(s int)
	visit = func(s int) {
		if !met[s] {
			met[s] = true
			all = append(all, s)
			for _, e := range g.Edges[s] {
				visit(int(e.To))
			}
		}
	}
	visit(g.Start)
	for _, s := range all {
		if g.Hot[s] && !slices.ContainsFunc(g.Edges[s], func(e Edge) bool { return e.Action >= 0 }) {
			return true
		}
	}
	actions := map[int32]bool{}
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
				b.sets = append(b.sets, func(_ int, e Edge) bool { return slices.Contains(g.Asked(e), Answer{choice, answer}) })
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
