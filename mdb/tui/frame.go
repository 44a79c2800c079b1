package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"macemc/mdb"
)

// frame is a copy of everything that drawing needs, so that drawing uses no session.
type frame struct {
	width, height int
	title         mdb.Line
	rows          []mdb.Row
	nodes         int
	steps, main   area
	step          area // the area of the current step, if the main area shows another view; height 0 means that it is not shown
	page, beside  []mdb.Line
	view          int
	name          string // the heading of the main area, if it is not the name of the view
	tabs          []tab
	help          bool
}

// area is a part of the screen: a heading, and a page below it.
type area struct {
	x, y, width, height int
	lines               int // the number of lines of the contents
	scroll              int
}

func (a area) holds(x, y int) bool {
	return x >= a.x && x < a.x+a.width && y >= a.y && y < a.y+a.height
}

// wanted is the part of the model that determines the next frame. Work on the session gets
// a copy of it. If the work executes a line, that may change the copy: it may select another view.
type wanted struct {
	width, height, view, node, scroll, top int
	help                                   bool
	answer                                 mdb.Page
	left                                   string // the place of the session before the line was executed
}

func (m *Model) wanted() wanted {
	return wanted{m.width, m.height, m.view, m.node, m.scroll[m.page()], m.top, m.help, m.answer, ""}
}

func itoa(n int) string { return strconv.Itoa(n) }

// compose returns a frame that shows a session, in the size and with the view that w selects.
func compose(s *mdb.Session, w *wanted) frame {
	f := frame{width: w.width, height: w.height, nodes: len(s.Nodes()), help: w.help}
	if w.width < leastWidth || w.height < leastHeight || s.Ended() {
		return f
	}
	f.view = w.view
	f.title = s.Title()
	f.layout()
	f.rows = rows(s, w.top, f.steps.height-1)
	if len(f.rows) > 0 {
		w.top = f.rows[0].Step
	}
	f.page = wrap(shown(s, w, &f), f.main.width)
	f.tab()
	f.main.lines = len(f.page)
	f.main.scroll = max(0, min(w.scroll, f.main.lines-f.main.height+1))
	w.scroll = f.main.scroll
	if f.step.height > 0 {
		f.beside = wrap(look(s, "show"), f.step.width)
	}
	return f
}

// shown returns the page of the view that w selects.
func shown(s *mdb.Session, w *wanted, f *frame) mdb.Page {
	v := mdb.Views()[w.view]
	switch {
	case w.help:
		f.name = "keys"
		return helpPage()
	case v.Line == "":
		return w.answer
	case v.Name == "state" && w.node > 0:
		node := s.Nodes()[w.node-1]
		f.name = "state " + node
		return look(s, "state "+node)
	case v.Name == "diff" && s.Step() == 0:
		return mdb.Page{{{Text: "before the start there is no state"}}}
	case v.Name == "live":
		return look(s, "diff "+s.Against())
	case v.Name == "graph":
		s.Draw(f.main.width)
		return look(s, fmt.Sprintf("graph around %d", max(1, f.main.height/9)))
	default:
		return look(s, v.Line)
	}
}

// look returns the session's answer to a line. If the line fails, the answer is the text of
// the error.
func look(s *mdb.Session, line string) mdb.Page {
	page, err := s.Peek(line)
	if err != nil {
		return append(page, mdb.Line{{Style: mdb.Dim, Text: err.Error()}})
	}
	return page
}

// helpPage returns the page that lists the keys.
func helpPage() (p mdb.Page) {
	for _, k := range mdb.Keys() {
		names := strings.Join(k.Names, " ")
		if n := len(k.Names); n > 4 {
			names = k.Names[0] + " ... " + k.Names[n-1]
		}
		p = append(p, mdb.Line{{Style: mdb.Strong, Text: fmt.Sprintf("  %-18s", names)}, {Text: k.Short}})
	}
	return append(p, mdb.Line{{Style: mdb.Dim, Text: "  :help lists the commands, :help COMMAND explains one; J K Space PgUp scroll this, any other key closes it"}})
}

// layout divides the screen into areas: the title at the top, the prompt at the bottom, and
// between them the steps, beside the view or above it.
func (f *frame) layout() {
	w, h := f.width, f.height-2
	if w < 120 {
		steps := max(3, h*2/5)
		f.steps = area{x: 0, y: 1, width: w, height: steps}
		f.main = area{x: 0, y: 1 + steps, width: w, height: h - steps}
	} else {
		left := max(w*2/5, w-1-max(78, w*2/5)) // the names of the views take 78 columns; the steps have the rest
		f.steps = area{x: 0, y: 1, width: left, height: h}
		f.main = area{x: left + 1, y: 1, width: w - left - 1, height: h}
		if h >= 20 && mdb.Views()[f.view].Name != "step" && !f.help {
			f.step = f.main
			f.step.height = h * 2 / 5
			f.main.y += f.step.height
			f.main.height -= f.step.height
		}
	}
}

// tab is the name of a view in the line above the current view, with its column.
type tab struct {
	name     string
	x, width int
}

func (f *frame) tab() {
	x := f.main.x
	for i, v := range mdb.Views() {
		name := v.Name
		if i == f.view && f.name != "" {
			name = f.name
		}
		name = v.Key(i) + " " + name
		f.tabs = append(f.tabs, tab{name, x, len(name)})
		x += len(name) + 1
	}
}

// rows returns the rows for n steps. They begin at step top if the current step is then among them,
// and otherwise are moved so that it is.
func rows(s *mdb.Session, top, n int) []mdb.Row {
	if n < 1 {
		return nil
	}
	around := 0 // the number of rows to show on either side of the current step, if there are any
	if n >= 5 {
		around = 1
	}
	out := s.Rows(max(0, min(top, s.Len())), 0, n-1)
	switch at := slices.IndexFunc(out, func(r mdb.Row) bool { return r.Current }); {
	case at < 0 && s.Step() < top || at >= 0 && at < around:
		if out = s.Rows(s.Step(), around, n-1); len(out) > n {
			out = out[:n]
		}
	case at < 0 || at > n-1-around:
		if out = s.Rows(s.Step(), n-1, around); len(out) > n {
			out = out[len(out)-n:]
		}
	}
	if len(out) < n && len(out) > 0 { // the end is seen: what is before it, too
		out = append(s.Rows(out[0].Step, n-len(out), 0), out[1:]...)
	}
	return out
}

// cell is a letter with the number of columns that it takes on the terminal.
type cell struct {
	text  string
	width int
	style mdb.Style
}

// wrap breaks lines that are too wide. It breaks a line at its last blank that fits, or, if that
// would leave more than half of the line empty, inside a word. The continuation is indented.
func wrap(p mdb.Page, width int) (out []mdb.Line) {
	const in = "      "
	for _, l := range p {
		cells, before := cellsOf(l), ""
		for {
			n := fitting(cells, width-len(before))
			line := mdb.Line{{Text: before}}
			for _, c := range cells[:n] {
				if last := &line[len(line)-1]; last.Style == c.style {
					last.Text += c.text
				} else {
					line = append(line, mdb.Span{Style: c.style, Text: c.text})
				}
			}
			out = append(out, line)
			if cells = cells[n:]; len(cells) > 0 && cells[0].text == " " {
				cells = cells[1:]
			}
			if len(cells) == 0 {
				break
			}
			if before = in; width <= 2*len(in) {
				before = ""
			}
		}
	}
	return out
}

// fitting returns how many of the cells wrap puts into a line of this width: at least one, and
// all of them if they fit.
func fitting(cells []cell, width int) int {
	used, space := 0, 0
	for i, c := range cells {
		if used += c.width; used > width {
			if space > i/2 {
				return space
			}
			return max(1, i)
		}
		if c.text == " " {
			space = i
		}
	}
	return len(cells)
}

func cellsOf(l mdb.Line) (cells []cell) {
	for _, span := range l {
		rest, state := clean(span.Text), -1
		for rest != "" {
			c := cell{style: span.Style}
			c.text, rest, c.width, state = uniseg.FirstGraphemeClusterInString(rest, state)
			cells = append(cells, c)
		}
	}
	return cells
}

// clean removes the control characters of a terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return '�'
		}
		return r
	}, text)
}
