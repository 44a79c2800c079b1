package eventgraph

import (
	"bufio"
	"fmt"
	"io"
)

// ShiViz writes the two runs as two executions of one log.
func (b *Beside) ShiViz(w io.Writer, part Part) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n%s\n", shivizEvent, shivizRuns)
	for _, run := range []struct {
		name string
		g    *Graph
	}{{"here", b.Here}, {"there", b.There}} {
		fmt.Fprintf(out, "=== %s ===\n", run.name)
		run.g.shiviz(out, part)
	}
	return out.Flush()
}

// What a diagram has of two runs: steps before they part, and of each after.
const (
	commonMost = 8
	branchMost = 25
)

// Mermaid writes the two runs as one sequence diagram: what they have in
// common, then what happened here, or else there.
func (b *Beside) Mermaid(w io.Writer, part Part) error {
	out := bufio.NewWriter(w)
	here, there := &mermaid{out, b.Here, map[int]bool{}}, &mermaid{out, b.There, map[int]bool{}}
	here.begin(b.Here.Marks.Title)
	first := b.Here.starts + max(0, b.Split-commonMost)
	if n := first - b.Here.starts; n > 0 {
		here.over(steps(1, n) + " are left out")
	}
	for p := first; p < b.Here.starts+b.Split; p++ {
		here.point(p)
		there.drawn[p] = true
	}
	for i, m := range []*mermaid{here, there} {
		if i == 0 {
			here.say("alt what happened here")
		} else {
			here.say("else and there instead")
		}
		m.branch(b.Split)
	}
	here.say("end")
	return out.Flush()
}

// branch writes the steps after the split.
func (m *mermaid) branch(split int) {
	from := m.g.starts + split
	to := min(len(m.g.points), from+branchMost)
	if from == to {
		m.over("nothing more")
	}
	for p := from; p < to; p++ {
		m.point(p)
	}
	if rest := len(m.g.points) - to; rest > 0 {
		m.over(fmt.Sprintf("%d more steps", rest))
		if m.g.Marks.Failed > m.g.number(to-1) {
			m.point(len(m.g.points) - 1)
		}
	}
	m.end()
}

// DOT writes the two runs as one graph, which parts where they do.
func (b *Beside) DOT(w io.Writer, part Part) error {
	d := &dot{w: bufio.NewWriter(w)}
	d.begin(b.Here.Marks.Title)
	part.From = max(part.From, b.Split-commonMost)
	d.graph(b.Here, part, "here")
	d.shared = b.Here.starts + b.Split
	d.graph(b.There, part, "there")
	d.say("}\n")
	return d.w.Flush()
}
