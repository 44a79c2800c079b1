package eventgraph

// Slice is the graph with only those of its steps shown that one of the given
// steps depends on, and those themselves. It shares the rest with g.
func (g *Graph) Slice(steps ...int) *Graph {
	kept := make([]bool, len(g.points))
	var list []int
	keep := func(p int) {
		if p != none && !kept[p] {
			kept[p] = true
			list = append(list, p)
		}
	}
	for _, number := range steps {
		if number > 0 {
			keep(g.point(number, network))
		}
	}
	for len(list) > 0 {
		p := &g.points[list[len(list)-1]]
		list = list[:len(list)-1]
		keep(p.prev)
		for _, c := range p.causes {
			keep(c.from)
		}
	}
	slice := *g
	slice.kept = kept
	return &slice
}

// Before reports whether one step happened before another: there is a chain of
// causes between them.
func (g *Graph) Before(one, other int) bool {
	p := g.point(one, network)
	return one > 0 && one != other && p != none && g.Slice(other).kept[p]
}

// shows reports whether a point is in the slice that g is.
func (g *Graph) shows(p int) bool { return g.kept == nil || g.kept[p] }
