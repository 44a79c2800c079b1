package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// besideMost is the largest number of rows that are drawn of the part in which the two runs differ, unless the caller
// wants all rows.
const besideMost = 60

// Text draws the two runs side by side, from a few steps before they part.
func (b *Beside) Text(w io.Writer, o TextOptions) error {
	t := &besideText{b: b, w: bufio.NewWriter(w), style: styleOf(o), width: o.Width}
	if t.width == 0 {
		t.width = widthDefault
	}
	t.width = max(t.width, WidthLeast)
	t.number = len(strconv.Itoa(max(b.Here.Steps(), b.There.Steps())))
	t.lanes = max(len(b.Here.nodes), len(b.There.nodes))
	if t.lanes > 8 {
		t.lanes = 0 // the words name the node
	}
	t.column = (t.width - 3) / 2
	t.draw(o.Part)
	return t.w.Flush()
}

type besideText struct {
	b      *Beside
	w      *bufio.Writer
	style  *style
	width  int
	number int // the width of the number of a step
	lanes  int // the number of lanes of a side; 0 means that there are too many to draw
	column int // the number of columns of one side
}

func (t *besideText) line(left, sign, right string, c color) {
	var b strings.Builder
	pad := max(0, t.column-columnsOf(left))
	t.style.paint(&b, left, c)
	b.WriteString(strings.Repeat(" ", pad))
	b.WriteString(" " + sign + " ")
	t.style.paint(&b, right, c)
	t.w.WriteString(strings.TrimRight(b.String(), " ") + "\n")
}

func columnsOf(s string) (n int) {
	for _, r := range s {
		n += wide(r)
	}
	return n
}

func (t *besideText) draw(part Part) {
	b := t.b
	bar := string(t.style.lane)
	t.both(t.style.folded("here: "+b.Here.Marks.Title, t.column, 0), t.style.folded("there: "+b.There.Marks.Title, t.column, 0), bar, bold)
	t.line("", bar, "", plain)
	gap := func(format string, args ...any) {
		t.line(string(t.style.gap)+" "+fmt.Sprintf(format, args...), bar, "", dim)
	}
	before, rows, after := b.apart(part, 2)
	if before > 0 {
		gap("%s", b.leading(before))
	}
	rows, left := b.shortened(rows, part.Whole)
	for i, r := range rows {
		if !part.Whole && part.To == 0 && i >= besideMost {
			for k := i; k < len(rows); k++ {
				after += max(1, left[k])
			}
			break
		}
		if b.split(r) {
			t.part()
		}
		if left[i] > 0 {
			gap("%d steps, the same in both", left[i])
			continue
		}
		t.row(r)
	}
	if after > 0 {
		gap("%s", more(after, "row"))
	}
	if b.Split == len(b.rows) && after == 0 {
		t.line("the two are the same to their end", bar, "", dim)
	}
}

// steps returns a text such as "steps 3 to 7".
func steps(from, to int) string {
	if from == to {
		return fmt.Sprintf("step %d", from)
	}
	return fmt.Sprintf("steps %d to %d", from, to)
}

// split reports whether a row is the first in which the runs differ.
func (b *Beside) split(r besideRow) bool {
	return b.Split < len(b.rows) && r == b.rows[b.Split]
}

// part draws the line below the last common step, at which the runs part.
func (t *besideText) part() {
	text := " they part here "
	side := max(1, (t.width-len(text))/2)
	rule := strings.Repeat(string(t.style.sending.shaft), side)
	var b strings.Builder
	t.style.paint(&b, rule+text+rule, yellow)
	t.w.WriteString(b.String() + "\n")
}

// row draws one row: an event of each run, and its effects.
func (t *besideText) row(r besideRow) {
	sign, c := string(t.style.lane), plain
	switch {
	case r.same:
		sign = "="
	case r.there == none:
		sign = "<"
	case r.here == none:
		sign = ">"
	}
	left, right := t.side(t.b.Here, r.here, true), t.side(t.b.There, r.there, true)
	if r.same && t.b.sameDid(r) {
		left, right = t.side(t.b.Here, r.here, false), t.side(t.b.There, r.there, false)
		if !t.b.pointed(r) {
			c = dim
		}
	}
	t.both(left, right, sign, c)
}

// both writes two blocks of lines side by side, with a sign between them.
func (t *besideText) both(left, right []string, sign string, c color) {
	for i := range max(len(left), len(right)) {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		if i == 1 {
			sign = string(t.style.lane)
		}
		t.line(l, sign, r, c)
	}
}

// side returns point p of one run as lines: the event, and its effects if all is set.
func (t *besideText) side(g *Graph, p int, all bool) (lines []string) {
	if p == none {
		return nil
	}
	mark := "  "
	switch {
	case g.critical(p) && g.failed(p):
		mark = t.style.critical + t.style.failed
	case g.critical(p):
		mark = t.style.critical + " "
	case g.failed(p):
		mark = " " + t.style.failed
	}
	head := fmt.Sprintf("%s%*d ", mark, t.number, g.number(p))
	if t.lanes > 0 {
		head += t.mini(g, p) + " "
	}
	indent := columnsOf(head)
	add := func(first, text string) {
		for i, l := range t.style.folded(text, t.column-indent, 2) {
			switch {
			case i == 0:
				lines = append(lines, first+l)
			default:
				lines = append(lines, strings.Repeat(" ", indent+2)+l)
			}
		}
	}
	text := g.points[p].text
	if ids := numbered(g.points[p].took); len(ids) > 0 {
		text += "  " + together(strings.Join(ids, " "))
	}
	add(head, text)
	if all {
		for _, d := range g.points[p].doings(nil, together) {
			add(strings.Repeat(" ", indent), "  "+d)
		}
	}
	if g.failed(p) {
		add(strings.Repeat(" ", indent), t.style.failed+" "+g.Marks.Why)
	}
	return lines
}

// mini draws point p in a few characters, one for each lane: a sign in the lane of its node,
// another one in the lane of the node that sent its message, and dots in the other lanes.
func (t *besideText) mini(g *Graph, p int) string {
	at := &g.points[p]
	cells := []rune(strings.Repeat("·", t.lanes))
	if t.style.lane == asciiStyle.lane {
		cells = []rune(strings.Repeat(".", t.lanes))
	}
	put := func(lane int, r rune) {
		if lane >= 0 {
			cells[lane] = r
		}
	}
	put(g.lane(at.Event.From), t.style.restart)
	r := t.style.dot
	if k := at.kind(); k == "crash" || k == "lose" || k == "break" {
		r = t.style.crash
	}
	put(g.lane(at.Event.Node), r)
	return string(cells)
}
