package eventgraph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macemc/sim"
)

// Part is which part of a graph is drawn. The zero Part is all of it, but for
// quiet stretches.
type Part struct {
	From, To int        // the first and the last step; 0: of the run
	Nodes    []sim.Addr // only what happens at these, or goes between them and others; nil: all
	Whole    bool       // quiet stretches are not left out
}

// stretch is a row of points that are left out.
type stretch struct {
	from, to int // points, both included
	quiet    bool
}

// quietLeast is how many quiet steps in a row are worth leaving out.
const quietLeast = 4

// each goes over what is drawn, in order: points, and the stretches between
// that are left out. Starts in which nothing happened are passed over.
func (g *Graph) each(s Part, draw func(p int), leave func(stretch)) {
	var open *stretch
	shut := func() {
		if open == nil {
			return
		}
		if open.quiet && open.to-open.from+1 < quietLeast {
			for p := open.from; p <= open.to; p++ {
				draw(p)
			}
		} else {
			leave(*open)
		}
		open = nil
	}
	for p := range g.points {
		within := g.within(s, p)
		quiet := within && !s.Whole && g.quiet(p)
		switch {
		case p < g.starts && !(within && g.points[p].happened()):
		case within && !quiet:
			shut()
			draw(p)
		case open != nil && open.quiet == quiet:
			open.to = p
		default:
			shut()
			open = &stretch{p, p, quiet}
		}
	}
	shut()
}

// happened reports whether a start did anything.
func (p *point) happened() bool { return len(p.did)+len(p.coins) > 0 || p.Cut }

// within reports whether a point is in the scope and in the slice.
func (g *Graph) within(s Part, p int) bool {
	number := g.number(p)
	if !g.shows(p) || number < s.From || s.To > 0 && number > s.To {
		return false
	}
	if len(s.Nodes) == 0 {
		return true
	}
	at := &g.points[p]
	has := func(lane int) bool { return lane >= 0 && slices.Contains(s.Nodes, g.nodes[lane]) }
	if at.lane == network && at.Event.Node.IsZero() || has(at.lane) || has(g.lane(at.Event.From)) || has(g.lane(at.Event.Node)) {
		return true
	}
	return slices.ContainsFunc(at.did, func(d did) bool { return has(d.to) })
}

// quiet reports whether a step concerns its node alone, and is nothing that is
// pointed out.
func (g *Graph) quiet(p int) bool {
	at, number := &g.points[p], g.number(p)
	if number == 0 || number == g.Marks.Critical || number == g.Marks.Failed || number == g.Steps() || at.Cut {
		return false
	}
	switch at.Event.Kind {
	case sim.KindScript, sim.KindAction, sim.KindTask, sim.KindTimer:
	default:
		return false
	}
	return !slices.ContainsFunc(at.did, func(d did) bool {
		switch d.kind {
		case sim.EffectAfter, sim.EffectCancel, sim.EffectPost:
			return false
		default:
			return true
		}
	})
}

// drawn are the lanes that a drawing with room for so many has: all of them, or
// those in which anything happens.
func (g *Graph) drawn(s Part, room int) []int {
	if len(g.nodes) > room || len(s.Nodes) > 0 {
		return g.busy(s)
	}
	all := make([]int, len(g.nodes))
	for i := range all {
		all[i] = i
	}
	return all
}

// busy are the lanes in which anything happens within a scope.
func (g *Graph) busy(s Part) (lanes []int) {
	is := make([]bool, len(g.nodes))
	mark := func(lane int) {
		if lane >= 0 {
			is[lane] = true
		}
	}
	for p := range g.points {
		at := &g.points[p]
		if !g.within(s, p) || p < g.starts && !at.happened() {
			continue
		}
		mark(at.lane)
		mark(g.lane(at.Event.Node))
		mark(g.lane(at.Event.From))
		for _, d := range at.did {
			mark(d.to)
		}
	}
	for i, b := range is {
		if b {
			lanes = append(lanes, i)
		}
	}
	return lanes
}

// text says what is left out.
func (s stretch) text(g *Graph) string {
	n := s.to - s.from + 1
	if !s.quiet {
		if n == 1 {
			return fmt.Sprintf("step %d left out", g.number(s.from))
		}
		return fmt.Sprintf("steps %d to %d left out", g.number(s.from), g.number(s.to))
	}
	counts := map[string]int{}
	for p := s.from; p <= s.to; p++ {
		counts[g.points[p].text]++
	}
	type tally struct {
		text string
		n    int
	}
	var tallies []tally
	for text, n := range counts {
		tallies = append(tallies, tally{text, n})
	}
	slices.SortFunc(tallies, func(a, b tally) int { return cmp.Or(b.n-a.n, strings.Compare(a.text, b.text)) })
	var words []string
	for i, t := range tallies {
		if i == 3 {
			words = append(words, "...")
			break
		}
		word := cut(t.text, 40)
		if t.n > 1 {
			word += fmt.Sprintf(" %d times", t.n)
		}
		words = append(words, word)
	}
	return fmt.Sprintf("%d quiet steps: %s", n, strings.Join(words, ", "))
}

// lanes counts what is left out in each lane, the network not counted.
func (s stretch) lanes(g *Graph) []int {
	counts := make([]int, len(g.nodes))
	for p := s.from; p <= s.to; p++ {
		if lane := g.points[p].lane; lane >= 0 {
			counts[lane]++
		}
	}
	return counts
}
