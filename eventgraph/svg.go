package eventgraph

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed style.css
var styleCSS string

// The measures of a picture, in pixels.
const (
	rowHigh   = 24.0
	margin    = 16.0
	headHigh  = 30.0
	titleHigh = 20.0
	dotRadius = 5.5
	lanesMost = 16  // the largest number of lanes that are drawn although nothing happens in them
	letter    = 7.3 // the width of a letter of the font
	labelMost = 120 // the largest number of letters of a line beside a row
	labelHigh = 15.0
	foldMost  = 4   // the largest number of lines of a label
	titleMost = 110 // the largest number of letters of the title
	storyMost = 24  // the largest number of lines of a hover text about what happened, and about what changed
)

// SVG draws the graph as a space-time diagram: nodes from left to right, steps
// downwards.
func (g *Graph) SVG(w io.Writer, part Part) error {
	var rows []pictureRow
	g.each(part, func(at int) { rows = append(rows, pictureRow{point: at}) },
		func(s stretch) { rows = append(rows, pictureRow{point: none, left: s.text(g)}) })
	var drawn strings.Builder
	b := bufio.NewWriterSize(&drawn, 1<<16)
	p := newPicture(b, g, g.Marks.Title, rows, g.drawn(part, lanesMost), 0)
	layRows(p)
	canvas(b, p.wide, p.high)
	p.draw()
	fmt.Fprint(b, "</svg>\n")
	b.Flush()
	return paint(w, drawn.String())
}

// draw draws the picture. It begins with the elements that others cover.
func (p *picture) draw() {
	p.title()
	for i := range p.rows {
		p.ground(i)
	}
	p.lanes()
	p.flights()
	for i := range p.rows {
		p.row(i)
	}
	p.lasso()
}

// picture is the layout of one graph in an SVG.
type picture struct {
	w       *bufio.Writer
	g       *Graph
	heading []string // the lines of the title
	rows    []pictureRow
	at      []int // the row of each point, or none
	all     []int // the lanes that are drawn
	nth     map[int]int
	stubs   map[int]int // by point: the number of arrows from it whose other end is not drawn
	step    float64     // the distance between two lanes
	left    float64     // the middle of the first lane
	from    float64     // the left edge
	text    float64     // the left edge of the words beside the lanes
	wide    float64
	high    float64
	top     float64   // the vertical coordinate of the first row
	tops    []float64 // the distance of each row from top, and at last that of the lower edge of the last row
}

// pictureRow is a row of a picture: a point, or a text in place of points that are left
// out.
type pictureRow struct {
	point int // the point; none if the row has none
	left  string
	label []string // the words beside the point, in lines
}

// newPicture computes the layout of a graph with these rows and lanes. The picture's left
// edge is at x.
func newPicture(w *bufio.Writer, g *Graph, title string, rows []pictureRow, lanes []int, x float64) *picture {
	p := &picture{w: w, g: g, heading: folded(title, titleMost, 0, 2), rows: rows, at: make([]int, len(g.points)), all: lanes, nth: map[int]int{}, stubs: map[int]int{}, from: x}
	for i := range p.at {
		p.at[i] = none
	}
	longest := 0
	for i, r := range rows {
		label := letters(r.left) + 2
		if r.point != none {
			p.at[r.point] = i
			p.rows[i].label = folded(g.points[r.point].text, labelMost, 4, foldMost)
			label = 0
			for _, line := range p.rows[i].label {
				label = max(label, letters(line))
			}
			label += letters(g.beside(r.point)) + 2
			if g.critical(r.point) || g.failed(r.point) {
				label += len("critical failed ")
			}
			if g.loops(r.point) {
				label += len("again and again ")
			}
		}
		longest = max(longest, label)
	}
	for i, lane := range p.all {
		p.nth[lane] = i
	}
	p.step = max(34, min(120, 720/float64(max(len(p.all), 1))))
	p.left = x + margin + letter*float64(len(strconv.Itoa(g.Steps()))) + 14 + p.step/2
	p.text = p.left + p.step*(float64(max(0, len(p.all)-1))+0.5) + 10
	p.wide = p.text - x + letter*float64(min(longest, labelMost+30)) + margin
	p.top = margin + headHigh + 14
	for _, line := range p.heading {
		p.top += titleHigh
		p.wide = max(p.wide, 2*margin+8.2*float64(utf8.RuneCountInString(line)))
	}
	return p
}

// layRows sets the heights of the rows of pictures that are side by side. A row that is high in one of
// them, because of a long label, is as high in all of them.
func layRows(all ...*picture) {
	tops, top := []float64{0}, 0.0
	for _, p := range all {
		top = max(top, p.top)
	}
	for i := range all[0].rows {
		lines := 1
		for _, p := range all {
			lines = max(lines, len(p.rows[i].label))
		}
		tops = append(tops, tops[i]+rowHigh+labelHigh*float64(lines-1))
	}
	for _, p := range all {
		p.top, p.tops = top, tops
		p.high = top + tops[len(tops)-1] + margin
	}
}

func letters(s string) int { return min(labelMost, utf8.RuneCountInString(s)) }

func (p *picture) say(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

// x returns the horizontal coordinate of a place.
func (p *picture) x(at place) float64 { return (p.lane(at.one) + p.lane(at.other)) / 2 }

func (p *picture) lane(i int) float64 { return p.left + p.step*float64(p.nth[i]) }

// y returns the vertical coordinate of the middle of a row's first line.
func (p *picture) y(row int) float64 { return p.top + p.tops[row] + rowHigh/2 }

// canvas begins an SVG of this size.
func canvas(w io.Writer, wide, high float64) {
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="graph" xml:space="preserve" role="img" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s">`+"\n<style>\n%[3]s</style>\n",
		pixels(wide), pixels(high), pictureCSS)
	fmt.Fprint(w, `<rect class="paper" width="100%" height="100%"/>`+"\n")
}

func (p *picture) title() {
	for i, line := range p.heading {
		p.say(`<text class="title" x="%s" y="%s">%s</text>`+"\n", pixels(p.from+margin), pixels(margin+14+titleHigh*float64(i)), escape(line))
	}
}

// lanes draws the names of the nodes and their lifelines.
func (p *picture) lanes() {
	top, bottom, left, lanes := p.top-14, p.high-margin, p.left, p.all
	for _, s := range p.g.spans() {
		if s.kind == "cut" && len(lanes) > 0 {
			from, to := p.reach(s)
			x := left - p.step/2
			p.say(`<rect class="cut-band" x="%s" y="%s" width="%s" height="%s"/>`+"\n",
				pixels(x), pixels(from), pixels(p.step*float64(len(lanes))), pixels(max(0, to-from)))
		}
	}
	for i, lane := range lanes {
		x, y := left+p.step*float64(i), top
		for _, s := range p.g.spans() {
			if s.lane != lane {
				continue
			}
			from, to := p.reach(s)
			p.line("lane", x, y, x, from)
			if s.kind == "away" || s.kind == "paused" {
				p.line("lane away", x, from, x, to)
			}
			y = to
		}
		p.line("lane", x, y, x, bottom)
		name, class := p.g.name(lane), "box"
		if p.g.bad[lane] != "" {
			class = "box bad"
			p.say("<title>%s</title>\n", escape(p.g.title(lane)))
		}
		wide := max(28, letter*float64(len(name))+14)
		wide = min(wide, p.step-4)
		p.say(`<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="6"/><text class="name" x="%s" y="%s">%s</text>`+"\n",
			class, pixels(x-wide/2), pixels(top-headHigh+4), pixels(wide), pixels(headHigh-8), pixels(x), pixels(top-headHigh+19), escape(name))
	}
}

// reach returns the vertical coordinates at which a span begins and ends.
func (p *picture) reach(s span) (from, to float64) {
	from, to = p.edge(s.from), p.high-margin
	if s.to != none {
		to = p.edge(s.to)
	}
	return from, to
}

// edge returns the vertical coordinate of point at, or of the first point after it that is
// drawn.
func (p *picture) edge(at int) float64 {
	for ; at < len(p.at); at++ {
		if p.at[at] != none {
			return p.y(p.at[at])
		}
	}
	return p.high - margin
}

func (p *picture) line(class string, x1, y1, x2, y2 float64) {
	if x1 == x2 && y2 <= y1 {
		return
	}
	p.say(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n", class, pixels(x1), pixels(y1), pixels(x2), pixels(y2))
}

// flights draws the arrows. If only one end of an arrow is on a row that is drawn, it draws a short
// piece of the arrow at this end.
func (p *picture) flights() {
	for _, f := range p.g.flights() {
		from, to := p.at[f.from], none
		if f.to != none {
			to = p.at[f.to]
		}
		if from == none && to == none {
			continue
		}
		p.flight(f, from, to)
	}
}

func (p *picture) flight(f flight, from, to int) {
	x1, x2 := p.x(f.a), p.x(f.b)
	y1, y2 := 0.0, 0.0
	way := math.Copysign(1, x2-x1)
	switch {
	case from != none && to != none:
		y1, y2 = p.y(from), p.y(to)
	case from == none: // from above
		y2 = p.y(to)
		x1, y1 = x2-way*min(p.step*0.45, math.Abs(x2-x1)), y2-rowHigh*0.45
	default: // to somewhere below, or nowhere
		y1 = p.y(from)
		k := p.stubs[f.from] // beside those that begin here too
		x2, y2 = x1+way*p.step*(0.58-0.12*float64(k%3)), y1+rowHigh*min(0.95, 0.15+0.25*float64(k))
		p.stubs[f.from]++
	}
	if f.a == f.b {
		p.loop(f, x1, y1, y2)
		return
	}
	dx, dy := x2-x1, y2-y1
	long := math.Hypot(dx, dy)
	bend := 0.0
	if math.Abs(dx) > 1.5*p.step { // the arrow passes the dots of the lanes between
		bend = min(20, long*0.07)
	}
	cx, cy := (x1+x2)/2+way*dy/long*bend, (y1+y2)/2-math.Abs(dx)/long*bend
	ux, uy := unit(cx-x1, cy-y1)
	vx, vy := unit(x2-cx, y2-cy)
	gap := dotRadius + 2
	if f.to == none {
		gap = 0
	}
	ex, ey := x2-vx*gap, y2-vy*gap
	p.say(`<path class="fly %s" d="M%s %s`, f.kind, pixels(x1+ux*(dotRadius+1)), pixels(y1+uy*(dotRadius+1)))
	if bend > 0 {
		p.say("Q%s %s %s %s", pixels(cx), pixels(cy), pixels(ex-vx*3), pixels(ey-vy*3))
	} else {
		p.say("L%s %s", pixels(ex-vx*3), pixels(ey-vy*3))
	}
	p.say(`"/>`)
	p.head(f, to == none && f.to != none, ex, ey, vx, vy)
}

func unit(x, y float64) (ux, uy float64) {
	long := math.Hypot(x, y)
	return x / long, y / long
}

// loop draws an arrow from a node to itself.
func (p *picture) loop(f flight, x, y1, y2 float64) {
	out := min(28, p.step*0.35)
	y1, y2 = y1+dotRadius*0.6, y2-dotRadius*0.6
	if y2 < y1+4 {
		y2 = y1 + 8
	}
	p.say(`<path class="fly %s" d="M%s %sC%s %s %s %s %s %s"/>`, f.kind, pixels(x+dotRadius), pixels(y1),
		pixels(x+out), pixels(y1+4), pixels(x+out), pixels(y2-4), pixels(x+dotRadius+3), pixels(y2))
	p.head(f, false, x+dotRadius, y2, -0.94, 0.34)
}

// head draws the end of an arrow: a point, a cross if the message was lost, a ring if it is
// still under way.
func (p *picture) head(f flight, hidden bool, x, y, ux, uy float64) {
	switch {
	case f.kind == flightLost && !hidden, f.kind == flightDropped:
		p.say(`<path class="x" d="M%s %sl8 8m0 -8l-8 8"/>`+"\n", pixels(x-4), pixels(y-4))
	case f.kind == flightUnderWay || hidden:
		p.say(`<circle class="head under" cx="%s" cy="%s" r="3"/>`+"\n", pixels(x), pixels(y))
	default:
		bx, by := x-ux*9, y-uy*9
		p.say(`<path class="head %s" d="M%s %sL%s %sL%s %sZ"/>`+"\n", f.kind, pixels(x), pixels(y),
			pixels(bx-uy*4), pixels(by+ux*4), pixels(bx+uy*4), pixels(by-ux*4))
	}
}

// ground draws the elements below all others: the areas for hovering, and the marks.
func (p *picture) ground(i int) {
	if at := p.rows[i].point; at != none {
		p.say(`<g class="step %s"><title>%s</title><rect class="hit" x="%s" y="%s" width="%s" height="%s"/></g>`+"\n", p.class(at),
			escape(p.g.hover(at)), pixels(p.from), pixels(p.y(i)-rowHigh/2), pixels(p.wide), pixels(p.tops[i+1]-p.tops[i]))
	}
}

// lasso draws a bracket around the steps that a run repeats for ever after its end.
func (p *picture) lasso() {
	first, last := none, none
	for i, r := range p.rows {
		if r.point == none {
			continue
		}
		if p.g.loops(r.point) {
			first = i
		}
		last = i
	}
	if first == none {
		return
	}
	x, out := p.from+margin-2, p.from+3
	a, b := p.y(first), p.y(last)
	if first == last {
		a, b = a-rowHigh/4, b+rowHigh/4
	}
	p.say(`<path class="again" d="M%s %sL%s %sL%s %sL%s %s"/>`+"\n", pixels(x), pixels(b), pixels(out), pixels(b), pixels(out), pixels(a), pixels(x), pixels(a))
	p.say(`<path class="head again" d="M%s %sL%s %sL%s %sZ"/>`+"\n", pixels(x+3), pixels(a), pixels(x-4), pixels(a-4), pixels(x-4), pixels(a+4))
}

func (p *picture) class(at int) string {
	class := p.g.points[at].kind()
	if p.g.critical(at) {
		class += " critical"
	}
	if p.g.failed(at) {
		class += " failed"
	}
	if p.g.loops(at) {
		class += " looped"
	}
	return class
}

// row draws row i: a point with its words, or the text in its place.
func (p *picture) row(i int) {
	y, r := p.y(i), p.rows[i]
	if r.point == none {
		if r.left != "" {
			p.say(`<g class="step"><text class="left" x="%s" y="%s">⋮ %s</text></g>`+"\n", pixels(p.text), pixels(y+4), escape(cut(r.left, labelMost)))
		}
		return
	}
	g := p.g
	tag := ""
	if g.critical(r.point) {
		tag = "◆ critical "
	}
	if g.failed(r.point) {
		tag += "✗ failed "
	}
	if g.loops(r.point) {
		tag += "↻ again and again "
	}
	p.say(`<g class="step %s">`, p.class(r.point))
	p.say(`<text class="number" x="%s" y="%s">%d</text>`, pixels(p.left-p.step/2-8), pixels(y+4), g.number(r.point))
	p.sign(r.point, y)
	p.say(`<text class="what" x="%s" y="%s">`, pixels(p.text), pixels(y+4))
	x := p.text
	if tag != "" {
		p.say(`<tspan class="tag">%s</tspan>`, tag)
		x += letter * float64(utf8.RuneCountInString(tag))
	}
	for i, line := range r.label {
		switch {
		case i > 0:
			x = p.text + 4*letter
			p.say(`</text><text class="what" x="%s" y="%s">%s`, pixels(x), pixels(y+4+labelHigh*float64(i)), escape(line))
		case tag != "":
			p.say(`<tspan x="%s">%s</tspan>`, pixels(x), escape(line))
		default:
			p.say(`%s`, escape(line))
		}
		x += letter * float64(utf8.RuneCountInString(line))
	}
	if beside := g.beside(r.point); beside != "" {
		p.say(`<tspan class="beside"%s>  %s</tspan>`, p.after(r.label, x), escape(cut(beside, labelMost/2)))
	}
	p.say("</text></g>\n")
}

// after returns an attribute for words that follow a label: it places them at the coordinate x. Programs that
// do not compute how wide a label is need it: see paint. If the label has letters beyond ASCII, whose widths
// are not known, after returns "".
func (p *picture) after(label []string, x float64) string {
	for _, line := range label {
		if len(line) != utf8.RuneCountInString(line) {
			return ""
		}
	}
	return ` x="` + pixels(x) + `"`
}

// hover returns the text that appears when the mouse is over point p: its event, its
// effects, and its changes of the state.
func (g *Graph) hover(p int) string {
	lines := append([]string{fmt.Sprintf("step %d: %s", g.number(p), g.points[p].text)}, g.story(p)...)
	if len(lines) > storyMost {
		lines = append(lines[:storyMost-1], "...")
	}
	if changed := g.changed(p, storyMost); len(changed) > 0 {
		lines = append(append(lines, "", "state:"), changed...)
	}
	for i := range lines {
		lines[i] = cut(lines[i], 400)
	}
	return strings.Join(lines, "\n")
}

// sign draws the sign of point at on its lane, at height y.
func (p *picture) sign(at int, y float64) {
	x := p.x(p.g.place(at))
	point := &p.g.points[at]
	switch kind := point.kind(); kind {
	case "crash":
		p.say(`<circle class="dot" cx="%s" cy="%s" r="7"/><path d="M%s %sl6 6m0 -6l-6 6" class="cross"/>`,
			pixels(x), pixels(y), pixels(x-3), pixels(y-3))
	case "break":
		a, b := p.lane(p.g.lane(point.Event.Node)), p.lane(p.g.lane(point.Event.From))
		p.say(`<path class="link" d="M%s %sH%s"/><path class="fault" d="M%s %sl10 10m0 -10l-10 10"/>`,
			pixels(a), pixels(y), pixels(b), pixels(x-5), pixels(y-5))
	case "lose": // the arrow ends here, in a cross
	case "copy":
		for _, at := range []float64{x - 3, x + 3} {
			p.say(`<circle class="fault" cx="%s" cy="%s" r="4"/>`, pixels(at), pixels(y))
		}
	case "cut":
		p.sides(at, y)
	case "mend":
		if n := len(p.all); n > 0 {
			p.say(`<path class="fault" d="M%s %sH%s"/>`, pixels(p.left-p.step/4), pixels(y), pixels(p.left+p.step*(float64(n-1)+0.25)))
		}
	case "timer":
		p.say(`<path class="dot" d="M%s %sl7 7-7 7-7-7Z"/>`, pixels(x), pixels(y-7))
	case "task":
		p.say(`<rect class="dot" x="%s" y="%s" width="10" height="10"/>`, pixels(x-5), pixels(y-5))
	default:
		p.say(`<circle class="dot" cx="%s" cy="%s" r="%s"/>`, pixels(x), pixels(y), pixels(dotRadius))
	}
}

// sides draws the partition that begins in point at: the letters A and B for the sides of
// the nodes, and a cross between them.
func (p *picture) sides(at int, y float64) {
	sides := p.g.sides(at)
	if sides == nil {
		return
	}
	for i, lane := range p.all {
		letter := "B"
		if sides[lane] {
			letter = "A"
		}
		x := p.left + p.step*float64(i)
		p.say(`<text class="side" x="%s" y="%s">%s</text>`, pixels(x), pixels(y+4), letter)
		if i > 0 && sides[lane] != sides[p.all[i-1]] {
			p.say(`<path class="fault" d="M%s %sl8 8m0 -8l-8 8"/>`, pixels(x-p.step/2-4), pixels(y-4))
		}
	}
}

// pixels returns a coordinate, rounded to a tenth.
func pixels(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escape escapes a text for XML or HTML. The characters that XML forbids were escaped by clean before.
func escape(s string) string { return escaper.Replace(s) }
