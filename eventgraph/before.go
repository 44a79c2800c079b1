package eventgraph

import "slices"

// Slice returns the graph reduced to the given steps and all steps that happened before one of them. It
// shares everything else with g.
func (g *Graph) Slice(steps ...int) *Graph {
	var points []int
	for _, number := range steps {
		if number > 0 {
			points = append(points, g.point(number, network))
		}
	}
	return g.upTo(points)
}

// upTo returns the graph reduced to the given points and all points that happened before
// one of them. It ignores points that do not exist.
func (g *Graph) upTo(points []int) *Graph {
	kept := make([]bool, len(g.points))
	var list []int
	keep := func(p int) {
		if p != none && !kept[p] {
			kept[p] = true
			list = append(list, p)
		}
	}
	for _, p := range points {
		keep(p)
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

// steps returns the numbers of the steps that the graph shows.
func (g *Graph) steps() (numbers []int) {
	for p := g.starts; p < len(g.points); p++ {
		if g.shows(p) {
			numbers = append(numbers, g.number(p))
		}
	}
	return numbers
}

// triesMost is the largest number of runs that Depends tries.
const triesMost = 400

// Depends returns the graph with only the steps on which a step depends: the step in which the
// run failed, or after which it was dead. The steps that happened before that step may not
// suffice: a property may fail because of several nodes at the same time, and nodes may be
// dead because of messages that they never get. So Depends repeatedly calls fails, which
// reports whether a run of only these steps fails in the same way. It passes the numbers of the
// steps in increasing order, and for every step also all steps that happened before it. A run of
// the steps of the result fails. enough is false if even the run up to the step does not
// fail; then the result has the steps that happened before the step.
func (g *Graph) Depends(step int, fails func(steps []int) bool) (slice *Graph, enough bool) {
	tries := 0
	try := func(last []int) bool {
		tries++
		slice := g.upTo(last)
		return tries <= triesMost && fails(slice.steps())
	}
	failed := g.point(step, network)
	if failed < g.starts {
		return g.Slice(step), false
	}
	if try([]int{failed}) {
		return g.Slice(step), true
	}
	ends := []int{failed} // a run of these steps is tried, with all that happened before them
	last := slices.Repeat([]int{none}, len(g.nodes))
	for p := g.starts; p < failed; p++ {
		if lane := g.points[p].lane; lane >= 0 {
			last[lane] = p
		} else {
			ends = append(ends, p)
		}
	}
	ends = append(ends, last...)
	if !try(ends) {
		return g.Slice(step), false
	}
	for i := len(ends) - 1; i > 0; i-- { // drop this one if the run still fails; otherwise go back in its node
		end := ends[i]
		ends[i] = none
		if end == none || try(ends) {
			continue
		}
		for less := g.points[end].prev; less != none; less = g.points[less].prev {
			if ends[i] = less; !try(ends) {
				break
			}
			end = less
		}
		ends[i] = end
	}
	return g.upTo(ends), true
}

// Before reports whether one step happened before another: there is a chain of
// causes between them.
func (g *Graph) Before(one, other int) bool {
	p := g.point(one, network)
	return one > 0 && one != other && p != none && g.Slice(other).kept[p]
}

// shows reports whether g shows point p. A slice of a graph does not show all of them.
func (g *Graph) shows(p int) bool { return g.kept == nil || g.kept[p] }
