package tui

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"macemc/mdb"
)

// theme is the look of each style.
type theme struct {
	styles [mdb.Good + 1]tcell.Style
	nodes  []tcell.Style
	bar    tcell.Style // the title
	head   tcell.Style // the title of an area
	chosen tcell.Style // the view that is shown, and the row of the current place
}

// newTheme returns a theme with the terminal's own colours. If colour is false, it returns one in
// which marks and bold type show the difference.
func newTheme(colour bool) theme {
	d := tcell.StyleDefault
	t := theme{bar: d.Reverse(true), head: d.Underline(true), chosen: d.Reverse(true)}
	for i := range t.styles {
		t.styles[i] = d
	}
	t.styles[mdb.Strong], t.styles[mdb.Bad], t.styles[mdb.Dim] = d.Bold(true), d.Bold(true), d.Dim(true)
	t.styles[mdb.Changed], t.styles[mdb.Added], t.styles[mdb.Removed] = d.Bold(true), d.Bold(true), d.Underline(true)
	t.nodes = []tcell.Style{d.Bold(true)}
	if !colour {
		return t
	}
	t.styles[mdb.Dim] = d.Foreground(tcell.ColorGray)
	t.styles[mdb.Removed], t.styles[mdb.Added] = d.Foreground(tcell.ColorMaroon), d.Foreground(tcell.ColorGreen)
	t.styles[mdb.Changed], t.styles[mdb.Good] = d.Foreground(tcell.ColorOlive).Bold(true), d.Foreground(tcell.ColorGreen)
	t.styles[mdb.Bad] = d.Foreground(tcell.ColorRed).Bold(true)
	t.bar = d.Background(tcell.ColorNavy).Foreground(tcell.ColorWhite)
	t.head = d.Foreground(tcell.ColorTeal).Underline(true)
	t.nodes = nil
	for _, c := range []tcell.Color{tcell.ColorTeal, tcell.ColorPurple, tcell.ColorOlive, tcell.ColorBlue, tcell.ColorGreen, tcell.ColorMaroon} {
		t.nodes = append(t.nodes, d.Foreground(c).Bold(true))
	}
	return t
}

// brush writes text into a row of the screen, from the left to an edge.
type brush struct {
	screen  tcell.Screen
	x, y    int
	edge    int
	reverse bool
}

func (b *brush) put(text string, style tcell.Style) {
	if b.reverse {
		style = style.Reverse(true)
	}
	rest, state := clean(text), -1
	for rest != "" {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		last := b.x+w == b.edge && rest != ""
		if b.x+w > b.edge || last {
			for b.x < b.edge {
				b.screen.Put(b.x, b.y, " ", style)
				b.x++
			}
			if b.edge > 0 {
				b.screen.Put(b.edge-1, b.y, "…", style)
			}
			return
		}
		if w > 0 {
			b.screen.Put(b.x, b.y, cluster, style)
		}
		b.x += w
	}
}

// fill puts blanks up to the edge.
func (b *brush) fill(style tcell.Style) {
	for ; b.x < b.edge; b.x++ {
		b.screen.Put(b.x, b.y, " ", style)
	}
}

func (m *Model) line(b *brush, l mdb.Line) {
	for _, s := range l {
		b.put(s.Text, m.theme.styles[s.Style])
	}
}

// Draw draws the latest frame on the screen, or a notice if the screen is too small.
func (m *Model) Draw(screen tcell.Screen) {
	screen.Clear()
	screen.HideCursor()
	f := &m.frame
	width, height := m.width, m.height
	switch {
	case width < leastWidth || height < leastHeight:
		b := &brush{screen: screen, edge: width}
		b.put(fmt.Sprintf("%dx%d is too small: mdb needs %dx%d", width, height, leastWidth, leastHeight), tcell.StyleDefault)
	case f.width != width || f.height != height: // the frame of this size is under way
	default:
		m.drawTitle(screen)
		m.drawSteps(screen)
		if f.step.height > 0 {
			m.drawHead(screen, f.step, "step"+more(f.step, len(f.beside), " (1: all of it)"))
			m.drawPage(screen, f.step, f.beside)
		}
		m.drawTabs(screen)
		m.drawPage(screen, f.main, f.page)
	}
	if height >= leastHeight {
		m.drawLast(screen)
	}
}

func (m *Model) drawTitle(screen tcell.Screen) {
	b := &brush{screen: screen, x: 1, edge: m.width}
	for _, s := range m.frame.title {
		style := m.theme.bar
		if s.Style == mdb.Strong {
			style = style.Bold(true)
		}
		b.put(s.Text, style)
	}
	b.fill(m.theme.bar)
	screen.Put(0, 0, " ", m.theme.bar)
}

// drawHead draws the line above an area.
func (m *Model) drawHead(screen tcell.Screen, a area, name string) {
	b := &brush{screen: screen, x: a.x, y: a.y, edge: a.x + a.width}
	b.put(name, m.theme.head)
	b.fill(m.theme.head)
}

// drawTabs draws the names of the views above the one that is shown.
func (m *Model) drawTabs(screen tcell.Screen) {
	f := &m.frame
	goesOn := more(f.main, f.main.lines, "")
	b := &brush{screen: screen, x: f.main.x, y: f.main.y, edge: f.main.x + f.main.width - len(goesOn)}
	for i, t := range f.tabs {
		style := m.theme.head
		if i == f.view && !f.help {
			style = m.theme.chosen
		}
		b.put(t.name, style)
		b.put(" ", m.theme.head)
	}
	b.fill(m.theme.head)
	b.edge += len(goesOn)
	b.put(goesOn, m.theme.head)
}

// more returns a text such as " 20/45" if only a part of a page is visible in an area, and "" if
// all of it is: here line 20 is the last visible one of 45. It appends how, which tells the user
// how to see the rest.
func more(a area, lines int, how string) string {
	if a.scroll == 0 && lines <= a.height-1 {
		return ""
	}
	return fmt.Sprintf(" %d/%d", min(lines, a.scroll+a.height-1), lines) + how
}

func (m *Model) drawPage(screen tcell.Screen, a area, page []mdb.Line) {
	for i := 1; i < a.height; i++ {
		if k := a.scroll + i - 1; k < len(page) {
			m.line(&brush{screen: screen, x: a.x, y: a.y + i, edge: a.x + a.width}, page[k])
		}
	}
}

// drawSteps draws the list of steps, a row for each. If there is room, the list is also an event
// graph: each row has a column for every node.
func (m *Model) drawSteps(screen tcell.Screen) {
	f := &m.frame
	a := f.steps
	last := 0
	if len(f.rows) > 0 {
		last = f.rows[len(f.rows)-1].Step
	}
	digits := max(4, len(itoa(last)))
	lanes := 2*f.nodes+digits+5 <= a.width/2
	head := "step"
	if lanes {
		head = fmt.Sprintf("%*s   %s", digits, "step", laneNames(f.nodes))
	}
	m.drawHead(screen, a, head)
	for k, r := range f.rows {
		b := &brush{screen: screen, x: a.x, y: a.y + 1 + k, edge: a.x + a.width, reverse: r.Current}
		style := m.theme.styles[mdb.Plain]
		b.put(fmt.Sprintf("%*d ", digits, r.Step), style)
		b.put(string(r.Mark), m.theme.styles[markStyle(r.Mark)])
		b.put(" ", style)
		if lanes {
			m.drawLanes(b, r)
			b.put("  ", style)
		}
		b.put(r.Text, style)
		if r.Current {
			b.reverse = false
			b.fill(style.Reverse(true))
		}
	}
}

// laneNames returns the line with the numbers of n nodes, each above its column.
func laneNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%-2d", i%100)
	}
	return b.String()
}

// drawLanes draws the columns of the nodes in a row. The cell of the row's step has the
// colour of the step's node.
func (m *Model) drawLanes(b *brush, r mdb.Row) {
	for i, cell := range []rune(r.Lanes) {
		style := m.theme.styles[mdb.Dim]
		if r.Node >= 0 && i == 2*r.Node {
			style = m.theme.nodes[r.Node%len(m.theme.nodes)]
		}
		b.put(string(cell), style)
	}
}

func markStyle(mark rune) mdb.Style {
	switch mark {
	case mdb.MarkCritical, mdb.MarkFailed, mdb.MarkAgain:
		return mdb.Bad
	case mdb.MarkLive:
		return mdb.Good
	default:
		return mdb.Dim
	}
}

// drawLast draws the last line: the line being typed, the last answer, or a hint.
func (m *Model) drawLast(screen tcell.Screen) {
	b := &brush{screen: screen, y: m.height - 1, edge: m.width}
	switch {
	case m.prompt != nil:
		m.drawPrompt(screen, b)
	case m.busy && m.stop:
		b.put("stopping; Ctrl-C once more ends the session", m.theme.styles[mdb.Strong])
	case m.busy:
		b.put(m.progress()+"; Ctrl-C stops it", m.theme.styles[mdb.Dim])
	case m.message != nil:
		m.line(b, m.message)
	default:
		b.put(" j k: steps  /: search  :: command  Tab: view  c: critical  ?: keys  q: quit", m.theme.styles[mdb.Dim])
	}
}

// drawPrompt draws the line that is being typed, and above it the words to which it can be
// completed.
func (m *Model) drawPrompt(screen tcell.Screen, b *brush) {
	p := m.prompt
	if m.message != nil && m.height > 2 {
		above := &brush{screen: screen, y: m.height - 2, edge: m.width}
		m.line(above, m.message)
		above.fill(tcell.StyleDefault)
	}
	before := p.lead + string(p.text[:p.at])
	skip := 0 // the bytes on the left that are not shown if the line is too long
	for skip < len(before) && uniseg.StringWidth(before[skip:]) >= m.width {
		_, rest, _, _ := uniseg.FirstGraphemeClusterInString(before[skip:], -1)
		skip = len(before) - len(rest)
	}
	b.put(before[skip:]+string(p.text[p.at:]), tcell.StyleDefault)
	screen.ShowCursor(uniseg.StringWidth(before[skip:]), m.height-1)
}
