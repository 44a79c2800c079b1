package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"macemc/sim"
)

// mermaidMost is the largest number of steps of a diagram: a longer one is hard to read.
const mermaidMost = 40

// underWayMost is the largest number of messages under way at the end that are listed.
const underWayMost = 8

// Mermaid writes the graph as a sequence diagram that a Markdown page shows. If the run is too long, the
// diagram has only the steps on which the critical step, or else the failed one, depends; and only the
// last of these if they are still too many.
func (g *Graph) Mermaid(w io.Writer, part Part) error {
	m := &mermaid{bufio.NewWriter(w), g, map[int]bool{}}
	m.begin(g.Marks.Title)
	points, before := g.matters(part)
	if before > 0 {
		m.over(fmt.Sprintf("%d steps are left out", before))
	}
	looped := false
	for _, p := range points {
		if again := g.Marks.Again; again > 0 && !looped && p >= g.starts && g.number(p) >= again {
			m.say("loop from step %d on, again and again", again)
			looped = true
		}
		m.point(p)
	}
	if looped {
		m.say("end")
	}
	m.end()
	return m.w.Flush()
}

// matters returns the points to draw, at most mermaidMost. If the part has more points, they are
// those on which the critical step, or else the failed step, depends, or the last of these. before
// is the number of points that come before them and are not drawn.
func (g *Graph) matters(part Part) (points []int, before int) {
	part.Whole = true
	list := func(g *Graph) (points []int) {
		g.each(part, func(p int) { points = append(points, p) }, func(stretch) {})
		return points
	}
	all := list(g)
	points = all
	if step := max(g.Marks.Critical, 0); len(points) > mermaidMost && g.kept == nil {
		if step == 0 {
			step = g.Marks.Failed
		}
		if step > 0 {
			points = list(g.Slice(step, g.Marks.Failed))
		}
	}
	if len(points) > mermaidMost {
		points = points[len(points)-mermaidMost:]
	}
	return points, len(all) - len(points)
}

type mermaid struct {
	w     *bufio.Writer
	g     *Graph
	drawn map[int]bool // the points that were drawn
}

func (m *mermaid) say(format string, args ...any) { fmt.Fprintf(m.w, "    "+format+"\n", args...) }

func (m *mermaid) begin(title string) {
	fmt.Fprint(m.w, "sequenceDiagram\n")
	for i, a := range m.g.nodes {
		if m.g.bad[i] != "" {
			m.say("participant %s as %s", a, m.g.title(i))
			continue
		}
		m.say("participant %s", a)
	}
	if title != "" { // a title of Mermaid's own would be cut off
		m.over(title)
	}
}

// end lists the messages that are still under way, and shows the failure.
func (m *mermaid) end() {
	told := 0
	for id := range m.g.messages {
		x := &m.g.messages[id]
		if !m.drawn[x.sent] || x.copies == 0 {
			continue
		}
		if told++; told > underWayMost {
			m.over("and more that is under way")
			break
		}
		m.arrow("--)", m.g.nodes[x.from], m.g.nodes[x.to], fmt.Sprintf("still under way: %s #%d", x.shown, id+1))
	}
	if why := m.g.Marks.Why; why != "" && !strings.Contains(m.g.Marks.Title, why) {
		m.over(why)
	}
}

// over writes a note over all nodes.
func (m *mermaid) over(text string) {
	nodes := m.g.nodes
	if len(nodes) == 0 {
		return
	}
	over := nodes[0].String()
	if len(nodes) > 1 {
		over += "," + nodes[len(nodes)-1].String()
	}
	m.say("Note over %s: %s", over, textMermaid(text, 240, len(nodes)*laneLetters-6))
}

// point writes a step. A step that is pointed out gets a coloured box.
func (m *mermaid) point(p int) {
	g := m.g
	switch {
	case g.failed(p):
		m.say("rect rgba(207, 34, 46, 0.18)")
	case g.critical(p):
		m.say("rect rgba(210, 153, 34, 0.28)")
	default:
		m.event(p)
		return
	}
	if g.critical(p) {
		m.over(fmt.Sprintf("%d is the critical step", g.number(p)))
	}
	m.event(p)
	m.say("end")
}

func (m *mermaid) event(p int) {
	g, at := m.g, &m.g.points[p]
	m.drawn[p] = true
	e := at.Event
	words := strings.TrimPrefix(at.text, e.Node.String()+" ")
	value := ""
	for _, id := range at.took {
		value = fmt.Sprintf("%s #%d", g.messages[id].shown, id+1)
	}
	number := g.number(p)
	switch e.Kind {
	case sim.KindMessage:
		m.arrow("->>", e.From, e.Node, fmt.Sprintf("%d %s", number, value))
	case sim.KindQuorum:
		for _, id := range at.took {
			of := &g.messages[id]
			m.arrow("->>", g.nodes[of.from], e.Node, fmt.Sprintf("%d at once: %s #%d", number, of.shown, id+1))
		}
	case sim.KindReorder:
		m.arrow("-->>", e.From, e.Node, fmt.Sprintf("%d overtaking: %s", number, value))
	case sim.KindLose:
		m.arrow("-x", e.From, e.Node, fmt.Sprintf("%d lost: %s", number, value))
	case sim.KindDuplicate:
		m.arrow("--)", e.From, e.Node, fmt.Sprintf("%d duplicated: %s", number, value))
	case sim.KindRefused:
		if e.Link == sim.LinkUDP {
			m.arrow("-x", e.From, e.Node, fmt.Sprintf("%d unreached: %s", number, value))
		} else {
			m.arrow("-x", e.Node, e.From, fmt.Sprintf("%d %s", number, words))
		}
	case sim.KindError:
		m.arrow("--x", e.From, e.Node, fmt.Sprintf("%d %s", number, words))
	case sim.KindBreak, sim.KindReset:
		m.note(fmt.Sprintf("%d %s", number, at.text), e.Node, e.From)
	case sim.KindPartition, sim.KindOneWay, sim.KindMend, sim.KindHeal:
		m.over(fmt.Sprintf("%d %s", number, at.text))
	default:
		m.note(fmt.Sprintf("%d %s", number, words), at.Node)
	}
	did, _ := at.shown()
	for _, d := range did { // packets that nobody receives are shown where they were sent
		if d.message != none && g.messages[d.message].unheard() {
			m.arrow("-x", at.Node, g.nodes[d.to], fmt.Sprintf("%s #%d %s", g.messages[d.message].shown, d.message+1, unheardWords(g, d.message)))
		}
	}
}

func unheardWords(g *Graph, id int) string {
	if g.messages[id].dropped {
		return "could not be sent"
	}
	return g.fate(id)
}

func (m *mermaid) arrow(arrow string, from, to sim.Addr, text string) {
	m.say("%s%s%s: %s", from, arrow, to, textMermaid(text, 120, 2*laneLetters))
}

func (m *mermaid) note(text string, over ...sim.Addr) {
	names := over[0].String()
	if len(over) > 1 && over[1] != over[0] {
		names += "," + over[1].String()
	}
	m.say("Note over %s: %s", names, textMermaid(text, 120, laneLetters))
}

// laneLetters is the number of letters that fit between two nodes.
const laneLetters = 28

// textMermaid returns a text in which nothing has a meaning to Mermaid or to the Markdown around it. It cuts
// and wraps the text, and writes special characters as numbers.
func textMermaid(s string, most, width int) string {
	var b strings.Builder
	for i, line := range folded(cut(clean(s), most), max(width, laneLetters), 0, most) {
		if i > 0 {
			b.WriteString("<br/>")
		}
		for _, r := range line {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(` .,=+-/()[]{}!?_"'*|@^~:`, r), r >= 0xa1:
				b.WriteRune(r)
			default:
				fmt.Fprintf(&b, "#%d;", r)
			}
		}
	}
	return b.String()
}
