package report

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"macemc/internal/charts"
)

// chartEdge is the transition of a machine in one state by one event.
type chartEdge struct {
	from, to int // the indices of two states; equal if the machine stays in the state
	label    string
	never    bool // it happened in no run
}

// chartEdges returns the transitions of a machine, to be drawn as arcs. There is one for each
// state, event that it handles, and next state, and one for each state to which the machine may
// move as soon as it enters a state.
func chartEdges(m charts.Counted) (all []chartEdge) {
	for s := range m.States {
		for _, to := range m.Enters[s] {
			all = append(all, chartEdge{s, to, "entry", false})
		}
		for e, event := range m.Events {
			r, n := m.Pair(s, e), m.Times(s, e)
			label := fmt.Sprintf("%s (%d)", event, n)
			switch {
			case r.Kind == charts.ReactionNone:
				continue
			case r.Kind != charts.ReactionHandle:
				label = fmt.Sprintf("%s %s (%d)", event, r.Kind, n)
			case r.Pops:
				label = fmt.Sprintf("%s pops (%d)", event, n)
			}
			if len(r.To) == 0 {
				all = append(all, chartEdge{s, s, label, n == 0})
			}
			for _, to := range r.To {
				all = append(all, chartEdge{s, to, label, n == 0})
			}
		}
	}
	return all
}

// ChartMermaid writes state machines in the language of Mermaid. Each reaction of a state
// to an event has the number of times that it happened.
func ChartMermaid(w io.Writer, machines []charts.Counted) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "stateDiagram-v2")
	for k, m := range machines {
		fmt.Fprintf(out, "\tstate \"%s\" as m%d {\n\t\t[*] --> m%ds0\n", mermaidText(m.Name), k, k)
		for s, name := range m.States {
			fmt.Fprintf(out, "\t\tm%ds%d : %s\n", k, s, mermaidText(name))
		}
		for _, e := range chartEdges(m) {
			fmt.Fprintf(out, "\t\tm%ds%d --> m%ds%d : %s\n", k, e.from, k, e.to, mermaidText(e.label))
		}
		fmt.Fprintln(out, "\t}")
	}
	return out.Flush()
}

// mermaidText returns a name without characters that have a meaning in Mermaid.
func mermaidText(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"`;:#{}<>\n", r) {
			return ' '
		}
		return r
	}, text)
}

// ChartDOT writes state machines in the language of Graphviz. Reactions and transitions
// that never happened are red.
func ChartDOT(w io.Writer, machines []charts.Counted) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "digraph macemc {\n\tgraph [fontname=\"Helvetica\", labelloc=t, newrank=true, label=\"state machines\"]")
	fmt.Fprintln(out, "\tnode [fontname=\"Courier\", fontsize=10, shape=box, style=\"rounded,filled\", fillcolor=white]")
	fmt.Fprintln(out, "\tedge [fontname=\"Courier\", fontsize=9]")
	for k, m := range machines {
		fmt.Fprintf(out, "\tsubgraph cluster%d {\n\t\tlabel=%q\n", k, m.Name)
		for s, name := range m.States {
			fmt.Fprintf(out, "\t\tm%ds%d [label=%q]\n", k, s, name)
		}
		for _, e := range chartEdges(m) {
			style := ""
			if e.never {
				style = `, color="#cf222e", fontcolor="#cf222e"`
			}
			fmt.Fprintf(out, "\t\tm%ds%d -> m%ds%d [label=%q%s]\n", k, e.from, k, e.to, e.label, style)
		}
		fmt.Fprintln(out, "\t}")
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

// ChartHTML writes a page of state machines: a drawing of each, and a table of its states
// and events with the number of times that each state met each event.
func ChartHTML(w io.Writer, machines []charts.Counted) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>state machines</title>\n<style>\n%s</style>\n", chartStyle)
	for _, m := range machines {
		fmt.Fprintf(out, "<h2>%s</h2>\n", html.EscapeString(m.Name))
		chartSVG(out, m)
		chartTable(out, m)
	}
	return out.Flush()
}

const chartStyle = `body { font: 14px sans-serif; margin: 2em }
table { border-collapse: collapse; margin: 1em 0 }
td, th { border: 1px solid #8c959f; padding: 2px 8px; text-align: left }
.never { background: #ffebe9; color: #cf222e }
.none { color: #8c959f }
circle { fill: white; stroke: #24292f }
path { fill: none; stroke: #0969da }
svg text { font-size: 11px; text-anchor: middle }
`

// chartTable writes a table with a row for each state and a column for each event.
func chartTable(out io.Writer, m charts.Counted) {
	fmt.Fprint(out, "<table>\n<tr><th></th>")
	for _, e := range m.Events {
		fmt.Fprintf(out, "<th>%s</th>", html.EscapeString(e))
	}
	fmt.Fprintln(out, "</tr>")
	for s, name := range m.States {
		fmt.Fprintf(out, "<tr><th>%s</th>", html.EscapeString(name))
		for e := range m.Events {
			r, n := m.Pair(s, e), m.Times(s, e)
			class := ""
			switch {
			case r.Kind == charts.ReactionNone:
				class = ` class="none"`
			case n == 0:
				class = ` class="never"`
			}
			text := r.Kind.String()
			for _, to := range r.To {
				text += " → " + m.States[to]
			}
			if r.Kind != charts.ReactionNone {
				text += fmt.Sprintf(", %d", n)
			}
			fmt.Fprintf(out, "<td%s>%s</td>", class, html.EscapeString(text))
		}
		fmt.Fprintln(out, "</tr>")
	}
	fmt.Fprintln(out, "</table>")
}

// chartSVG draws the states on a circle, and the transitions between them as arcs with the
// number of times that each was taken.
func chartSVG(out io.Writer, m charts.Counted) {
	const radius, state = 150.0, 34.0
	n := len(m.States)
	size := 2 * (radius + 2*state)
	at := func(s int) (x, y float64) {
		angle := 2*math.Pi*float64(s)/float64(n) - math.Pi/2
		return size/2 + radius*math.Cos(angle), size/2 + radius*math.Sin(angle)
	}
	fmt.Fprintf(out, "<svg width=\"%.0f\" height=\"%.0f\">\n<defs><marker id=\"a\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" orient=\"auto\"><polygon points=\"0 0, 8 3, 0 6\" fill=\"#0969da\"/></marker></defs>\n", size, size)
	drawn := map[[2]int]bool{}
	for _, e := range chartEdges(m) {
		if pair := [2]int{e.from, e.to}; e.from != e.to && !drawn[pair] {
			drawn[pair] = true
			chartArc(out, m, e, at, state)
		}
	}
	for s, name := range m.States {
		x, y := at(s)
		fmt.Fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x, y, state, x, y+4, html.EscapeString(name))
	}
	fmt.Fprintln(out, "</svg>")
}

// chartArc draws an arc for transition e. It is bent to its left, so that the transition
// back has another arc. at returns the coordinates of a state, and state is the radius of a
// state's circle.
func chartArc(out io.Writer, m charts.Counted, e chartEdge, at func(int) (x, y float64), state float64) {
	x1, y1 := at(e.from)
	x2, y2 := at(e.to)
	dx, dy := x2-x1, y2-y1
	long := math.Hypot(dx, dy)
	dx, dy = dx/long, dy/long
	x1, y1, x2, y2 = x1+dx*state, y1+dy*state, x2-dx*state, y2-dy*state
	mx, my := (x1+x2)/2+dy*30, (y1+y2)/2-dx*30
	fmt.Fprintf(out, "<path d=\"M%.1f %.1f Q%.1f %.1f %.1f %.1f\" marker-end=\"url(#a)\"/><text x=\"%.1f\" y=\"%.1f\">%d</text>\n",
		x1, y1, mx, my, x2, y2, mx, my, m.Moves(e.from, e.to))
}
