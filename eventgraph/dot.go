package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// DOT writes the graph in the language of Graphviz: a box per node with its
// steps in order, and an arrow for everything that happened before.
func (g *Graph) DOT(w io.Writer, part Part) error {
	d := &dot{w: bufio.NewWriter(w)}
	d.begin(g.Marks.Title)
	d.graph(g, part)
	d.say("}\n")
	return d.w.Flush()
}

type dot struct{ w *bufio.Writer }

func (d *dot) say(format string, args ...any) { fmt.Fprintf(d.w, format, args...) }

func (d *dot) begin(title string) {
	d.say("digraph macemc {\n\tgraph [fontname=\"Helvetica\", labelloc=t, newrank=true, label=%s]\n", quoteDOT(title, 100))
	d.say("\tnode [fontname=\"Courier\", fontsize=10, shape=box, style=\"rounded,filled\", fillcolor=white]\n")
	d.say("\tedge [fontname=\"Courier\", fontsize=9]\n")
}

// The colours of faults, of messages, and of the critical step.
const (
	dotBad  = "#cf222e"
	dotMsg  = "#0969da"
	dotWarn = "#9a6700"
	dotDim  = "#8c959f"
)

// graph writes the points of a graph, lane by lane, and the arrows between
// them.
func (d *dot) graph(g *Graph, part Part) {
	lanes := make([][]string, len(g.nodes)+1) // the contents of each box, that of the network last
	last := make([]string, len(lanes))
	shown := make([]bool, len(g.points))
	var chains []string
	put := func(lane int, id, attributes string) {
		if lane == network {
			lane = len(g.nodes)
		}
		lanes[lane] = append(lanes[lane], fmt.Sprintf("%s [%s]", id, attributes))
		if last[lane] != "" && lane < len(g.nodes) {
			chains = append(chains, fmt.Sprintf("%s -> %s [color=%q, arrowhead=none]", last[lane], id, dotDim))
		}
		last[lane] = id
	}
	g.each(part, func(p int) {
		shown[p] = true
		put(g.points[p].lane, dotID(p), d.attributes(g, p))
	}, func(s stretch) {
		for lane, n := range s.lanes(g) {
			if n > 0 {
				put(lane, dotID(s.from)+fmt.Sprintf("_%d", lane), fmt.Sprintf("label=\"... %d left out\", shape=plain, fontcolor=%q", n, dotDim))
			}
		}
	})
	for lane, points := range lanes {
		if len(points) == 0 {
			continue
		}
		label := "network"
		if lane < len(g.nodes) {
			label = g.title(lane)
		}
		d.say("\tsubgraph %s {\n\t\tlabel=%s; color=%q\n", quoteDOT("cluster_"+label, 80), quoteDOT(label, 80), dotDim)
		for _, p := range points {
			d.say("\t\t%s\n", p)
		}
		d.say("\t}\n")
	}
	for _, c := range chains {
		d.say("\t%s\n", c)
	}
	d.arrows(g, shown)
	begin, end := none, none
	for p := range g.points {
		if shown[p] && g.loops(p) {
			begin = p
		}
		if shown[p] {
			end = p
		}
	}
	if begin != none {
		d.say("\t%s -> %s [label=\"again and again\", color=%q, style=bold, constraint=false]\n", dotID(end), dotID(begin), dotWarn)
	}
}

// dotID returns the name of point p in a DOT file.
func dotID(p int) string { return fmt.Sprintf("p%d", p) }

func (d *dot) attributes(g *Graph, p int) string {
	at := &g.points[p]
	label, more := fmt.Sprintf("%d  %s", g.number(p), at.text), ""
	switch {
	case g.critical(p) && g.failed(p):
		label, more = label+"\nCRITICAL, FAILED", fmt.Sprintf(", color=%q, fillcolor=\"#ffebe9\", penwidth=3", dotBad)
	case g.failed(p):
		label, more = label+"\nFAILED", fmt.Sprintf(", color=%q, fillcolor=\"#ffebe9\", penwidth=3", dotBad)
	case g.critical(p):
		label, more = label+"\nCRITICAL", fmt.Sprintf(", color=%q, fillcolor=\"#fff8c5\", penwidth=3", dotWarn)
	case at.Event.Kind.Fault():
		more = fmt.Sprintf(", color=%q, fontcolor=%[1]q", dotBad)
	}
	return fmt.Sprintf("label=%s, tooltip=%s%s", quoteDOT(label, 44), quoteDOT(g.hover(p), 400), more)
}

// arrows writes the arrows that are not implied by the order of a lane.
func (d *dot) arrows(g *Graph, shown []bool) {
	for p := range g.points {
		if !shown[p] {
			continue
		}
		for _, c := range g.points[p].causes {
			if !shown[c.from] {
				continue
			}
			label, color, style := c.kind.String(), dotDim, "dashed"
			if c.kind == causeMessage {
				label, color, style = fmt.Sprintf("#%d", c.message+1), dotMsg, "solid"
				if e := g.points[p].kind(); e == "lose" || e == "copy" || e == "reorder" {
					color = dotBad
				}
			}
			d.say("\t%s -> %s [label=%s, color=%q, style=%s, constraint=%t]\n", dotID(c.from), dotID(p),
				quoteDOT(label, 80), color, style, c.kind != causeTimer && c.kind != causeTask)
		}
	}
	nowhere := map[int]int{}
	for id := range g.messages { // draw the messages that were never taken from the network
		m := &g.messages[id]
		if !shown[m.sent] || m.same != none || len(m.ends) > 0 && !m.lostWithConnection() {
			continue
		}
		if nowhere[m.sent]++; nowhere[m.sent] > idsMost {
			continue
		}
		what := cut(strings.TrimSpace(fmt.Sprintf("#%d %s", id+1, g.fate(id))), 60)
		if m.dropped {
			what += " never under way"
		}
		d.say("\t%s_m%d [shape=plain, label=%s, fontcolor=%q]\n", dotID(m.sent), id, quoteDOT(what, 30), dotBad)
		d.say("\t%s -> %[1]s_m%d [color=%q, arrowhead=tee]\n", dotID(m.sent), id, dotBad)
	}
}

// quoteDOT quotes a text for DOT, in lines of at most width characters. Backslashes are
// doubled, since some of them have a meaning in DOT.
func quoteDOT(s string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, folded(line, width, 0, linesMost)...)
	}
	s = strings.Join(lines, "\n")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
