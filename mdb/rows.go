package mdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macemc/internal/contract"
	"macemc/sim"
	"macemc/trace"
)

// Row is a step in a list of steps.
type Row struct {
	Step    int
	Mark    rune   // one of the marks, such as MarkCritical
	Lanes   string // the columns of the nodes, two cells each
	Text    string // the text of the event
	Node    int    // the index of the event's node; -1 means none
	Current bool   // the cursor is at this step
}

// The marks of steps.
const (
	MarkCritical = '◆'
	MarkFailed   = '!'
	MarkAgain    = '↻'
	MarkLive     = '+'
	MarkBranch   = '⑂'
	MarkBreak    = '•'
)

// row returns step i of a branch; step 0 is the start.
func (s Look) row(i int) Row {
	b := s.here
	r := Row{Step: i, Mark: s.mark(i), Current: i == s.step, Node: -1}
	n := s.run.nodes()
	if i == 0 {
		r.Text, r.Lanes = "start", strings.TrimRight(strings.Repeat("● ", n), " ")
		return r
	}
	t := b.at(i)
	r.Text, r.Node, r.Lanes = s.run.shown(t), s.run.lane(t.Node), s.run.lanes(&t.Step)
	return r
}

// lane returns the index of the column of a node, or -1 if the address is no node's.
func (r *run) lane(a sim.Addr) int {
	if a.IsZero() {
		return -1
	}
	return a.Index()
}

// lanes draws a step in the columns of the nodes: a mark at its own node, and arrows from
// the nodes that sent its messages.
func (r *run) lanes(s *trace.Step) string {
	n := r.nodes()
	cells := []rune(strings.TrimRight(strings.Repeat("│ ", n), " "))
	at, row := r.lane(s.Node), contract.Row(&s.Event)
	if at < 0 {
		for i := range cells {
			cells[i] = '═'
		}
		return string(cells)
	}
	head, shaft := '●', '━'
	switch {
	case row.Class == "lose" && row.Travels():
		head, shaft = '✗', '╌'
	case row.Class == "crash":
		head = '✗'
	case row.Class == "restart":
		head = '○'
	default:
		if s.Fails() {
			head = '✗'
		}
	}
	for _, from := range r.senders(s) {
		fly(cells, from, at, shaft)
	}
	cells[2*at] = head
	return string(cells)
}

// senders returns the columns of the nodes from which a step's messages came, the farthest ones
// first.
func (r *run) senders(s *trace.Step) (lanes []int) {
	if contract.Row(&s.Event).Travels() {
		return []int{r.lane(s.Event.From)}
	}
	q, _ := s.Event.Value.(sim.Quorum)
	for _, t := range q {
		lanes = append(lanes, r.lane(t.From))
	}
	at := r.lane(s.Node)
	far := func(lane int) int { return max(lane-at, at-lane) }
	slices.SortStableFunc(lanes, func(a, b int) int { return far(b) - far(a) })
	return lanes
}

// fly draws an arrow with this shaft into the cells of a row, from one column to another.
func fly(cells []rune, from, at int, shaft rune) {
	if from < 0 || from == at {
		return
	}
	lo, hi := min(at, from), max(at, from)
	for c := 2*lo + 1; c < 2*hi; c++ {
		cells[c] = shaft
		if c%2 == 0 && shaft == '━' {
			cells[c] = '┿'
		}
	}
	cells[2*from] = '┝'
	if from > at {
		cells[2*from] = '┥'
	}
	if at > from {
		cells[2*at-1] = '▶'
	} else {
		cells[2*at+1] = '◀'
	}
}

// line returns the row as text. The step's number takes this width.
func (r Row) line(width int) Line {
	style, cursor := Plain, "  "
	if r.Current {
		style, cursor = Strong, "> "
	}
	mark := Span{Dim, string(r.Mark)}
	switch r.Mark {
	case MarkCritical, MarkFailed, MarkAgain:
		mark.Style = Bad
	case MarkLive:
		mark.Style = Good
	}
	return Line{
		{style, fmt.Sprintf("%s%*d ", cursor, width, r.Step)}, mark,
		{Dim, " " + r.Lanes + "  "}, {style, r.Text},
	}
}

// rowPage returns a page with a row for each of the steps.
func (s Look) rowPage(steps []int) (p Page) {
	width := len(strconv.Itoa(s.Len()))
	for _, i := range steps {
		p = append(p, s.row(i).line(width))
	}
	return p
}

// Rows returns the rows for step around and the steps near it: at most before steps that come
// earlier, and at most after steps that come later. It skips steps that the filter excludes.
func (s *Session) Rows(around, before, after int) (rows []Row) {
	for i := s.neighbour(around, true); i >= 0 && len(rows) < before; i = s.neighbour(i, true) {
		rows = append(rows, s.look().row(i))
	}
	slices.Reverse(rows)
	rows = append(rows, s.look().row(around))
	for i, n := s.neighbour(around, false), 0; i >= 0 && n < after; i, n = s.neighbour(i, false), n+1 {
		rows = append(rows, s.look().row(i))
	}
	return rows
}

// filtered has the steps of a branch that match a filter. It was computed when the branch had len
// steps.
type filtered struct {
	by    *query
	of    *branch
	len   int
	steps []int
}

// listed returns the steps of the branch that match the filter.
func (s *Session) listed() []int {
	if f := &s.filtered; f.by != s.filter || f.of != s.here || f.len != s.Len() {
		s.filtered = newFiltered(s.filter, s.here)
	}
	return s.filtered.steps
}

func newFiltered(by *query, of *branch) filtered {
	f := filtered{by: by, of: of, len: of.len()}
	for i := 1; i <= f.len; i++ {
		if by.recorded(of, i) {
			f.steps = append(f.steps, i)
		}
	}
	return f
}
