package eventgraph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"macemc/sim"
	"macemc/trace"
)

// Part selects the steps of a graph that are drawn. The zero Part selects the whole graph
// without quiet stretches, in which nothing happens that concerns other nodes.
type Part struct {
	From, To int        // the numbers of the first and the last step; 0 means the first and the last of the run
	Nodes    []sim.Addr // only steps of these nodes, and messages to and from them; nil means all
	Whole    bool       // quiet stretches are drawn, too

	// Most limits the number of steps that are drawn of a longer run: its beginning, the
	// steps around the critical step, and its end. A note takes the place of the rest. 0
	// means all.
	Most int

	kept [][2]int // set by Most: the first and the last step of each piece that is drawn; nil means all
}

// shorter returns the part with the steps that Most permits, if the graph has more.
func (s Part) shorter(g *Graph) Part {
	n := g.Steps()
	if s.Most == 0 || s.steps() || n <= s.Most || s.kept != nil {
		return s
	}
	fifth := s.Most / 5
	turn := cmp.Or(g.Marks.Critical, g.Marks.Failed, n)
	s.kept = [][2]int{{0, fifth}, {turn - 2*fifth, turn + fifth}, {n - fifth + 1, n}}
	return s
}

// steps reports whether the part selects steps by their numbers. The method has reports
// whether it includes a step.
func (s Part) steps() bool { return s.From > 0 || s.To > 0 }
func (s Part) has(number int) bool {
	in := func(kept [2]int) bool { return kept[0] <= number && number <= kept[1] }
	return number >= s.From && (s.To == 0 || number <= s.To) && (s.kept == nil || slices.ContainsFunc(s.kept, in))
}

// stretch is a number of successive points that are left out of a drawing.
type stretch struct {
	from, to int // the first and the last of these points
	why      why
	period   int // for whyAgain, the number of steps that are repeated
}

// why is the reason for which points are left out.
type why uint8

const (
	whyHidden why = iota + 1 // the points are not in the part, or not in the slice
	whyQuiet                 // nothing happens in them that concerns other nodes
	whyAgain                 // they repeat the points before
)

const (
	shortRun    = 40 // the largest number of steps of a run that is drawn whole
	quietLeast  = 4  // the least number of quiet steps in a row that are left out
	periodMost  = 12 // the longest period of repeated steps
	repeatLeast = 8  // the least number of repeated steps that are left out
)

// each goes through the points of a part in order. It calls draw for each point that is
// drawn, and leave for each stretch that is left out. It skips starts in which nothing
// happened.
func (g *Graph) each(s Part, draw func(p int), leave func(stretch)) {
	s = s.shorter(g)
	left := g.left(s)
	for p := 0; p < len(g.points); {
		switch {
		case len(left) > 0 && left[0].from == p:
			leave(left[0])
			p = left[0].to + 1
			left = left[1:]
			continue
		case p >= g.starts || g.within(s, p) && g.points[p].happened():
			draw(p)
		}
		p++
	}
}

// left returns the stretches of points that are left out when part s of the graph is drawn.
func (g *Graph) left(s Part) (all []stretch) {
	shown := 0
	for p := g.starts; p < len(g.points); p++ {
		if g.within(s, p) {
			shown++
		}
	}
	short := s.Whole || shown <= shortRun
	for p := g.starts; p < len(g.points); {
		q := p
		for q < len(g.points) && !g.within(s, q) {
			q++
		}
		if q > p {
			all = append(all, stretch{p, q - 1, whyHidden, 0})
			p = q
			continue
		}
		if short {
			p++
			continue
		}
		if period, n := g.again(s, p); n > 0 {
			all = append(all, stretch{p + period, p + period + n - 1, whyAgain, period})
			p += period + n
			continue
		}
		for q < len(g.points) && g.within(s, q) && g.quiet(q) {
			q++
		}
		if q-p >= quietLeast {
			all = append(all, stretch{p, q - 1, whyQuiet, 0})
		}
		p = max(q, p+1)
	}
	return all
}

// again looks for points that repeat those before them. period is the number of points, beginning with p,
// that are repeated right afterwards, and n is the number of all the points that repeat them. Both are 0
// if nothing is repeated, or not often enough to be left out of the drawing.
func (g *Graph) again(s Part, p int) (period, n int) {
	for k := 1; k <= periodMost && p+k < len(g.points); k++ {
		if g.pointed(p+k-1) || !g.within(s, p+k-1) {
			break
		}
		q := p + k
		for q < len(g.points) && g.within(s, q) && !g.pointed(q) && q < len(g.points)-1 && g.points[q].same(&g.points[q-k]) {
			q++
		}
		if whole := (q - p - k) / k * k; whole >= max(2*k, repeatLeast) && whole > n {
			period, n = k, whole
		}
	}
	return period, n
}

// same reports whether two points show the same event with the same coins. The numbers of
// messages and steps may differ.
func (p *point) same(q *point) bool {
	return p.Identity == q.Identity && slices.Equal(p.coins, q.coins)
}

// pointed reports whether g.Marks points out point p, for example as the critical step.
func (g *Graph) pointed(p int) bool { return g.critical(p) || g.failed(p) || g.points[p].Cut }

// happened reports whether the node did anything in p, which is its start.
func (p *point) happened() bool { return len(p.did)+len(p.coins) > 0 || p.Cut }

// within reports whether part s selects point p. If g is a slice of a graph, p must also be in the
// slice.
func (g *Graph) within(s Part, p int) bool {
	if !g.shows(p) || !s.has(g.number(p)) {
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

// quiet reports whether the step of point p concerns its node alone and is not pointed out.
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
		case trace.EffectAfter, trace.EffectCancel, trace.EffectPost:
			return false
		default:
			return true
		}
	})
}

// drawn returns the lanes to draw for a part: all if there is room for them, or else those
// in which something happens.
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

// busy returns the lanes in which something happens within a part.
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

// text returns the words that a drawing shows in place of the stretch, such as "steps 3 to 7 left
// out".
func (s stretch) text(g *Graph) string {
	n := s.to - s.from + 1
	switch s.why {
	case whyAgain:
		return fmt.Sprintf("steps %d to %d: the same again as %s, %d times", g.number(s.from), g.number(s.to),
			steps(g.number(s.from)-s.period, g.number(s.from)-1), n/s.period)
	case whyHidden:
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
	return fmt.Sprintf("steps %d to %d, quiet: %s", g.number(s.from), g.number(s.to), strings.Join(words, ", "))
}

// lanes returns, for each lane but the network's, how many points of the stretch are in it.
func (s stretch) lanes(g *Graph) []int {
	counts := make([]int, len(g.nodes))
	for p := s.from; p <= s.to; p++ {
		if lane := g.points[p].lane; lane >= 0 {
			counts[lane]++
		}
	}
	return counts
}
