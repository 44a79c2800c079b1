package eventgraph

import (
	"bufio"
	"fmt"
	"io"
)

// The numbers of steps that a diagram of two runs shows: the last steps of the common
// beginning, and the first steps of each run after it.
const (
	commonMost = 8
	branchMost = 25
)

// Mermaid writes the two runs as one sequence diagram: the common beginning, then what
// happened in the first run, and then in the second.
func (b *Beside) Mermaid(w io.Writer, part Part) error {
	out := bufio.NewWriter(w)
	here, there := &mermaid{out, b.Here, map[int]bool{}}, &mermaid{out, b.There, map[int]bool{}}
	here.begin(b.Here.Marks.Title)
	first, last := max(0, b.Split-commonMost), b.Split
	if part.steps() {
		first = min(b.Split, max(0, part.From-1))
	}
	if part.To > 0 {
		last = min(b.Split, part.To)
	}
	if first > 0 {
		here.over(left(1, first))
	}
	for p := b.Here.starts + first; p < b.Here.starts+last; p++ {
		here.point(p)
		there.drawn[p] = true
	}
	for i, m := range []*mermaid{here, there} {
		if i == 0 {
			here.say("alt what happened here")
		} else {
			here.say("else and there instead")
		}
		m.branch(b.Split, part)
	}
	here.say("end")
	return out.Flush()
}

// more returns a text such as "3 more steps", where what is "step".
func more(n int, what string) string {
	if n > 1 {
		what += "s"
	}
	return fmt.Sprintf("%d more %s", n, what)
}

// left returns a text such as "steps 3 to 7 are left out".
func left(from, to int) string {
	if from == to {
		return steps(from, to) + " is left out"
	}
	return steps(from, to) + " are left out"
}

// branch writes those steps of one run after the split that are in a part.
func (m *mermaid) branch(split int, part Part) {
	begin := m.g.starts + split
	from := min(len(m.g.points), max(begin, m.g.starts+part.From-1))
	to := min(len(m.g.points), from+branchMost)
	if part.To > 0 {
		to = max(from, min(to, m.g.starts+part.To))
	}
	if begin == len(m.g.points) {
		m.over("nothing more")
	}
	if from > begin {
		m.over(left(m.g.number(begin), m.g.number(from-1)))
	}
	for p := from; p < to; p++ {
		m.point(p)
	}
	if rest := len(m.g.points) - to; rest > 0 {
		m.over(more(rest, "step"))
		if part.To == 0 && m.g.Marks.Failed > m.g.number(to-1) {
			m.point(len(m.g.points) - 1)
		}
	}
	m.end()
}
