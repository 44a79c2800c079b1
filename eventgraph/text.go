package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// TextOptions say how a graph is drawn as text.
type TextOptions struct {
	Part
	Width int  // the number of columns; 0 means 100
	ASCII bool // no characters beyond ASCII
	Color bool // colours are written, as escape sequences of a terminal
}

const (
	widthDefault = 100
	WidthLeast   = 40 // the least number of columns of a drawing
	headEvery    = 40 // the number of rows after which the names of the nodes are repeated
	linesMost    = 4  // the largest number of lines of one event or effect
)

// Text draws the graph as text: a column per node, a row per step, and under it the step's effects.
func (g *Graph) Text(w io.Writer, o TextOptions) error {
	t := newText(g, o)
	t.w = bufio.NewWriter(w)
	if g.Marks.Title != "" {
		for _, l := range t.style.folded(g.Marks.Title, t.width, 0) {
			t.line(l)
		}
		t.line("")
	}
	t.head()
	g.each(o.Part, func(p int) { t.point(p) }, func(s stretch) { t.stretch(s) })
	t.legend()
	return t.w.Flush()
}

// text is the layout of one graph as text, and the row that is being drawn.
type text struct {
	g      *Graph
	w      *bufio.Writer
	style  *style
	width  int
	gutter int // the number of columns before the lanes, in which the numbers of steps stand
	step   int // the number of columns from one lane to the next
	shown  []int
	column map[int]int // by lane: its index among those that are shown
	others bool        // the last column stands for all lanes that have none
	down   map[int]rune
	rows   int
	used   map[string]bool // the signs that were drawn, which the legend explains

	cells  []rune // the row that is being drawn
	colors []color
}

func newText(g *Graph, o TextOptions) *text {
	t := &text{
		g: g, style: styleOf(o), width: o.Width, gutter: len(strconv.Itoa(g.Steps())) + 4,
		down: map[int]rune{}, used: map[string]bool{},
	}
	if t.width == 0 {
		t.width = widthDefault
	}
	t.width = max(t.width, WidthLeast)
	t.arrange(o.Part)
	return t
}

const (
	laneMost  = 8 // the largest number of columns from one lane to the next
	laneLeast = 3 // the least number of them, in which the names of nodes fit
)

// arrange assigns a column to each lane. The columns are as wide as the text beside them permits. If there is
// not enough room, idle nodes get no column, and the last column stands for all remaining lanes.
func (t *text) arrange(part Part) {
	room := t.width/2 - t.gutter
	lanes := t.g.drawn(part, room/(laneLeast+1))
	t.step = laneMost
	if len(lanes) > 0 {
		t.step = min(laneMost, max(laneLeast, room/len(lanes)))
	}
	for _, i := range lanes {
		t.step = max(t.step, len(t.g.name(i))+1)
	}
	if most := max(2, room/t.step); len(lanes) > most {
		lanes, t.others = lanes[:most-1], true
	}
	t.shown, t.column = lanes, map[int]int{}
	for c, i := range lanes {
		t.column[i] = c
	}
}

// columns returns the number of columns.
func (t *text) columns() int {
	n := len(t.shown)
	if t.others {
		n++
	}
	return n
}

// at returns the index, among the characters of a row, at which the line of a lane is drawn. It is -1 for the
// network, which has no line.
func (t *text) at(lane int) int {
	c, ok := t.column[lane]
	switch {
	case lane == network:
		return -1
	case !ok:
		c = len(t.shown)
	}
	return c*t.step + t.step/2
}

// head writes the row of the nodes' names.
func (t *text) head() {
	t.rows = 0
	t.cells = []rune(strings.Repeat(" ", t.columns()*t.step+1))
	t.colors = make([]color, len(t.cells))
	name := func(c int, s string) {
		from := min(c*t.step+t.step/2-(len(s)-1)/2, len(t.cells)-len(s))
		for i, r := range s {
			t.put(from+i, r, bold)
		}
	}
	for c, i := range t.shown {
		name(c, t.g.name(i))
	}
	if t.others {
		name(len(t.shown), "...")
	}
	t.flush(fmt.Sprintf("%*s", t.gutter, "step "), "")
}

// begin begins a row by drawing the lanes.
func (t *text) begin() {
	t.cells = slices.Repeat([]rune{' '}, t.columns()*t.step+1)
	t.colors = make([]color, len(t.cells))
	for c := range t.columns() {
		r := t.style.lane
		if c < len(t.shown) {
			if d, is := t.down[t.shown[c]]; is {
				r = d
			}
		}
		t.put(c*t.step+t.step/2, r, dim)
	}
}

func (t *text) put(at int, r rune, c color) {
	if at >= 0 && at < len(t.cells) {
		t.cells[at], t.colors[at] = r, c
	}
}

// arrow draws an arrow between two lanes: its shaft, the signs at its ends, and its head.
func (t *text) arrow(from, to int, a arrow, c color) {
	x, y := t.at(from), t.at(to)
	if x < 0 || y < 0 || x == y {
		return
	}
	way, tail, head := 1, a.tail[0], a.head[0]
	if y < x {
		way, tail, head = -1, a.tail[1], a.head[1]
	}
	for i := x + way; i != y; i += way {
		r := a.shaft
		if t.cells[i] != ' ' && t.cells[i] != a.shaft {
			r = a.cross
		}
		t.put(i, r, c)
	}
	t.put(x, tail, c)
	if a.short { // the message was never under way
		for i := x + 2*way; i != y; i += way {
			if t.cells[i] == a.shaft {
				t.put(i, ' ', plain)
			} else {
				t.put(i, t.style.lane, dim)
			}
		}
		t.put(x+way, head, c)
		return
	}
	t.put(y-way, head, c)
}

// flush writes the row: the text gutter, the lanes, and beside them a text, which is folded
// if it is long.
func (t *text) flush(gutter, beside string) { t.flushAs(gutter, plain, beside, plain) }

func (t *text) flushAs(gutter string, gc color, beside string, bc color) {
	room := max(20, t.width-t.gutter-len(t.cells)-1)
	lines := t.style.folded(beside, room, 2)
	if len(lines) == 0 {
		lines = []string{""}
	}
	for i, l := range lines {
		var b strings.Builder
		t.style.paint(&b, gutter, gc)
		t.style.cells(&b, t.cells, t.colors)
		if i > 0 {
			l = "  " + l
		}
		if l != "" {
			b.WriteByte(' ')
			t.style.paint(&b, l, bc)
		}
		t.line(strings.TrimRight(b.String(), " "))
		gutter = strings.Repeat(" ", t.gutter)
		t.begin()
	}
	t.rows += len(lines)
}

func (t *text) line(s string) {
	t.w.WriteString(s)
	t.w.WriteByte('\n')
}

// note writes a row with a text beside the lanes and no event.
func (t *text) note(beside string, c color) {
	t.begin()
	t.flushAs(strings.Repeat(" ", t.gutter), plain, beside, c)
}

// legend explains the signs that were used.
func (t *text) legend() {
	var words []string
	for _, s := range t.style.signs() {
		if t.used[s.what] {
			words = append(words, s.sign+" "+s.what)
		}
	}
	for _, i := range t.shown {
		if t.g.bad[i] != "" {
			words = append(words, t.g.name(i)+" Byzantine: "+t.g.bad[i])
		}
	}
	if len(words) == 0 {
		return
	}
	t.line("")
	for _, l := range t.style.folded(strings.Join(words, "   "), t.width, 0) {
		t.line(l)
	}
}
