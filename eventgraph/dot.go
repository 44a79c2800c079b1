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
	d.graph(g, part, "")
	d.say("}\n")
	return d.w.Flush()
}

// dot writes a graph, and then perhaps another that begins with the same points.
type dot struct {
	w      *bufio.Writer
	shared int    // so many points are those of the graph before
	shown  []bool // of the graph before
}

func (d *dot) say(format string, args ...any) { fmt.Fprintf(d.w, format, args...) }

func (d *dot) begin(title string) {
	d.say("digraph macemc {\n\tgraph [fontname=\"Helvetica\", labelloc=t, newrank=true, label=%s]\n", quoteDOT(title, 100))
	d.say("\tnode [fontname=\"Courier\", fontsize=10, shape=box, style=\"rounded,filled\", fillcolor=white]\n")
	d.say("\tedge [fontname=\"Courier\", fontsize=9]\n")
}

// The colours of faults, of messages, of the critical step.
const (
	dotBad  = "#cf222e"
	dotMsg  = "#0969da"
	dotWarn = "#9a6700"
	dotDim  = "#8c959f"
)

// graph writes the points of a graph, lane by lane, and the arrows between
// them.
func (d *dot) graph(g *Graph, part Part, name string) {
	lanes := make([][]string, len(g.nodes)+1) // what each box holds; the network's is the last
	last := make([]string, len(lanes))
	shown := make([]bool, len(g.points))
	var chains []string
	put := func(lane int, id, attributes, edge string) {
		if lane == network {
			lane = len(g.nodes)
		}
		if attributes != "" {
			lanes[lane] = append(lanes[lane], fmt.Sprintf("%s [%s]", id, attributes))
			if last[lane] != "" && lane < len(g.nodes) {
				chains = append(chains, fmt.Sprintf("%s -> %s [%s]", last[lane], id, edge))
			}
		}
		last[lane] = id
	}
	ordinary, parted := fmt.Sprintf("color=%q, arrowhead=none", dotDim), fmt.Sprintf("color=%q, style=dotted, label=instead", dotMsg)
	branch := make([]bool, len(lanes)) // it has a point of its own already
	g.each(part, func(p int) {
		lane, edge := g.points[p].lane, ordinary
		if p < d.shared {
			if shown[p] = d.shown[p]; shown[p] {
				put(lane, d.id(p), "", "")
			}
			return
		}
		shown[p] = true
		if lane >= 0 && d.shared > 0 && !branch[lane] {
			branch[lane], edge = true, parted
		}
		put(lane, d.id(p), d.attributes(g, p), edge)
	}, func(s stretch) {
		if s.from < d.shared {
			return
		}
		for lane, n := range s.lanes(g) {
			if n > 0 {
				put(lane, d.id(s.from)+fmt.Sprintf("_%d", lane), fmt.Sprintf("label=\"... %d left out\", shape=plain, fontcolor=%q", n, dotDim), ordinary)
			}
		}
	})
	for lane, points := range lanes {
		if len(points) == 0 {
			continue
		}
		label := "network"
		if lane < len(g.nodes) {
			label = g.nodes[lane].String()
		}
		d.say("\tsubgraph %s {\n\t\tlabel=%s; color=%q\n", quoteDOT("cluster_"+name+label, 80), quoteDOT(strings.TrimSpace(label+" "+name), 80), dotDim)
		for _, p := range points {
			d.say("\t\t%s\n", p)
		}
		d.say("\t}\n")
	}
	for _, c := range chains {
		d.say("\t%s\n", c)
	}
	d.arrows(g, shown)
	d.shown = shown
}

// id names a point; those of a second graph that are not shared have a name of
// their own.
func (d *dot) id(p int) string {
	if d.shared > 0 && p >= d.shared {
		return fmt.Sprintf("t%d", p)
	}
	return fmt.Sprintf("p%d", p)
}

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

// arrows are what happened before, beside the order of each lane.
func (d *dot) arrows(g *Graph, shown []bool) {
	for p := d.shared; p < len(g.points); p++ {
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
			d.say("\t%s -> %s [label=%s, color=%q, style=%s, constraint=%t]\n", d.id(c.from), d.id(p),
				quoteDOT(label, 80), color, style, c.kind != causeTimer && c.kind != causeTask)
		}
	}
	nowhere := map[int]int{}
	for id := range g.messages { // those that were never taken from the network
		m := &g.messages[id]
		if m.sent < d.shared || !shown[m.sent] || m.same != none || len(m.ends) > 0 && !m.lostWithConnection() {
			continue
		}
		if nowhere[m.sent]++; nowhere[m.sent] > idsMost {
			continue
		}
		what := cut(strings.TrimSpace(fmt.Sprintf("#%d %s", id+1, g.fate(id))), 60)
		if m.dropped {
			what += " never under way"
		}
		d.say("\t%s_m%d [shape=plain, label=%s, fontcolor=%q]\n", d.id(m.sent), id, quoteDOT(what, 30), dotBad)
		d.say("\t%s -> %[1]s_m%d [color=%q, arrowhead=tee]\n", d.id(m.sent), id, dotBad)
	}
}

// quoteDOT is a text as DOT quotes it, in lines of so many characters. Its own
// backslashes are doubled, since DOT gives some of them a meaning.
func quoteDOT(s string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, folded(line, width, 0, linesMost)...)
	}
	s = strings.Join(lines, "\n")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
