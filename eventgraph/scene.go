package eventgraph

import (
	"fmt"
	"slices"
	"strings"

	"macemc/internal/contract"
	"macemc/internal/kinds"
	"macemc/sim"
	"macemc/trace"
)

// This file has the layout that SVG and HTML share: where each point stands, which arrows
// lead between points, and the text of each. SVG draws it; HTML carries it as data, which
// its script draws in the same way.

// place is a horizontal position in a picture: on a lane if one and other are the same, or
// else between two lanes, for an event of a connection.
type place struct{ one, other int }

func (g *Graph) place(p int) place {
	at := &g.points[p]
	node, peer := g.lane(at.Event.Node), g.lane(at.Event.From)
	switch {
	case at.lane != network:
		return place{at.lane, at.lane}
	case node < 0:
		return place{0, 0}
	case at.Event.Kind != 0 && contract.Row(&at.Event).Ground == kinds.Pair:
		return place{node, peer}
	default:
		return place{node, node}
	}
}

// flight is an arrow of a picture: a message, or the news that a connection broke.
type flight struct {
	kind    string // its class in style.css
	message int    // the message; none for the news that a connection broke
	from    int    // the point where it begins
	to      int    // the point where it ends, or none if it did not arrive
	a, b    place
}

// The kinds of flights.
const (
	flightDelivered = "msg"
	flightOvertook  = "over"
	flightLost      = "lost"  // lost on its way, in a step
	flightDropped   = "drop"  // never under way, or lost with its connection
	flightUnderWay  = "under" // under way at the end of the run
	flightNews      = "news"  // the news that a connection broke
)

// flights returns all arrows, in the order in which they begin.
func (g *Graph) flights() (all []flight) {
	nowhere := map[int]int{} // by point: the number of its arrows that reach no point
	for id := range g.messages {
		m := &g.messages[id]
		if len(m.ends) == 0 {
			if nowhere[m.sent]++; nowhere[m.sent] > didMost {
				continue
			}
		}
		f := flight{message: id, from: m.sent, a: place{m.from, m.from}, b: place{m.to, m.to}, to: none}
		with := func(kind string, to int) {
			f.kind, f.to = kind, to
			all = append(all, f)
		}
		switch {
		case m.dropped:
			with(flightDropped, none)
		case m.same != none:
		case m.copies > 0 || m.cut || m.kept && len(m.ends) == 0:
			with(flightUnderWay, none)
		}
		for _, e := range m.ends {
			switch e.how {
			case delivered:
				with(flightDelivered, e.at)
			case overtook:
				with(flightOvertook, e.at)
			case lost, unreached:
				with(flightLost, e.at)
			case broken:
				with(flightDropped, none)
			}
		}
	}
	for p := range g.points {
		for _, c := range g.points[p].causes {
			if c.kind == causeBroken && g.place(c.from) != g.place(p) {
				all = append(all, flight{flightNews, none, c.from, p, g.place(c.from), g.place(p)})
			}
		}
	}
	return all
}

// kind returns the class of a point in style.css.
func (p *point) kind() string {
	if p.Event.Kind == 0 {
		return "start"
	}
	return contract.Row(&p.Event).Class
}

// span is a time during which something is out of the ordinary: a node is down or paused,
// or there is a partition.
type span struct {
	kind     string // away (the node may restart), gone, paused or cut
	lane     int    // the lane of the node; network means all lanes
	from, to int    // the first and the last point; if to is none, it lasts to the end
}

// spans returns the times in which nodes were down or paused, or there was a partition.
func (g *Graph) spans() (all []span) {
	open := map[int]int{} // by lane: its span in all
	shut := func(lane, at int) {
		if k, ok := open[lane]; ok {
			all[k].to = at
			delete(open, lane)
		}
	}
	for at := range g.points {
		p := &g.points[at]
		kind := ""
		if p.Event.Kind != 0 {
			kind = contract.Row(&p.Event).Span
		}
		if p.Event.Leaves() {
			kind = "gone"
		}
		if kind == "" && p.Fails() { // in the middle of a step
			kind = "away"
			if slices.ContainsFunc(p.Effects, func(e trace.Effect) bool { return e.Kind == trace.EffectDown }) {
				kind = "gone"
			}
		}
		if kind == "" {
			continue
		}
		shut(p.lane, at)
		if p.Event.Kind == sim.KindHeal {
			for lane, k := range open {
				if all[k].kind == "paused" {
					shut(lane, at)
				}
			}
		}
		if kind != kinds.Ends {
			open[p.lane] = len(all)
			all = append(all, span{kind, p.lane, at, none})
		}
	}
	return all
}

// sides returns, for each lane, whether it is on the first side of the partition that
// begins in point p.
func (g *Graph) sides(p int) []bool {
	split, ok := g.points[p].Event.Value.(sim.Split)
	if !ok {
		return nil
	}
	sides := make([]bool, len(g.nodes))
	for i, a := range g.nodes {
		sides[i] = split.Has(a)
	}
	return sides
}

// idsMost is the largest number of messages that are listed beside a row.
const idsMost = 8

// beside lists in short form the messages that a point took and sent.
func (g *Graph) beside(p int) string {
	at := &g.points[p]
	var words []string
	if ids := numbered(at.took); len(ids) > 0 {
		words = append(words, strings.Join(ids, " "))
	}
	add := func(what string, of func(*message) bool) {
		var sent []int
		for _, d := range at.did {
			if d.message != none && of(&g.messages[d.message]) {
				sent = append(sent, d.message)
			}
		}
		ids := numbered(sent)
		if n := len(ids); n > idsMost {
			ids = append(ids[:idsMost], fmt.Sprintf("and %d more", n-idsMost))
		}
		if len(ids) > 0 {
			words = append(words, what+" "+strings.Join(ids, " "))
		}
	}
	add("sends", func(m *message) bool { return !m.dropped })
	add("could not send", func(m *message) bool { return m.dropped })
	return strings.Join(words, ", ")
}

// numbered returns the numbers of messages as a graph shows them, such as #3.
func numbered(messages []int) (ids []string) {
	for _, m := range messages {
		ids = append(ids, fmt.Sprintf("#%d", m+1))
	}
	return ids
}

// story describes a point in lines: its message, its coins, its effects and the fates of these.
func (g *Graph) story(p int) (lines []string) {
	at := &g.points[p]
	for _, id := range at.took {
		m := &g.messages[id]
		lines = append(lines, fmt.Sprintf("message #%d, sent at %d, %s", id+1, g.number(m.sent), g.fate(id)))
	}
	for _, c := range at.causes {
		if c.kind != causeMessage {
			lines = append(lines, fmt.Sprintf(causes[c.kind].of, g.number(c.from)))
		}
	}
	lines = at.doings(lines, func(fate string) string { return fate })
	if at.Cut {
		lines = append(lines, "the run ended within this step")
	}
	return lines
}

// changed describes the changes of the state by the step of point p: a line for each node that went down, and a
// line for each other change, of which it describes at most most.
func (g *Graph) changed(p, most int) (lines []string) {
	if g.states == nil || p < g.starts {
		return nil
	}
	down, changes := g.states.Told(g.number(p))
	for _, node := range down {
		lines = append(lines, node.String()+" went down: what it kept in memory is gone")
	}
	for i, c := range changes {
		if i == most {
			return append(lines, fmt.Sprintf("... %d more", len(changes)-i))
		}
		lines = append(lines, cut(clean(c[0]), 200)+": "+side(c[1])+" → "+side(c[2]))
	}
	return lines
}

// side returns s, the old or the new value of a change, as a picture shows it.
func side(s string) string {
	if s == "" {
		return "(absent)"
	}
	return cut(clean(s), 200)
}

// critical reports whether point p is the critical step in g.Marks. The methods loops and
// failed do the same for the marks Again and Failed.
func (g *Graph) critical(p int) bool { return p >= g.starts && g.number(p) == g.Marks.Critical }
func (g *Graph) loops(p int) bool {
	return p >= g.starts && g.Marks.Again > 0 && g.number(p) == g.Marks.Again
}
func (g *Graph) failed(p int) bool {
	return p >= g.starts && g.number(p) == g.Marks.Failed && g.Marks.Why != ""
}
