package report

import (
	"fmt"
	"io"
	"strings"

	"macemc/eventgraph"
	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/search"
)

// The sizes of the parts of a run that an account shows. The folder of the finding has the rest.
const (
	accountBefore = 12 // the number of steps of the graph before the critical one
	accountAfter  = 12 // the number of steps after it
	accountLines  = 60 // the largest number of lines of a drawing
	accountWidth  = 90
	besideWidth   = 120
)

// Account writes the finding of a, which result r has, for a developer who runs tests: the
// failure, the critical step, the graph around it, and the command that repeats the run.
func Account(w io.Writer, r *search.Result, a *account.Account) error {
	p, s := &printer{w: w}, subject{a}
	f, place := a.Finding, a.Place
	p.line("%s", s.title())
	p.blank()
	p.finding(s)
	if f.Trace == nil || f.Step == 0 {
		p.steps(s)
	} else {
		p.line("what happened before what:")
		p.graph(s)
		p.blank()
	}
	if f.Trace != nil && f.Live != nil && f.Live.Trace != nil {
		p.line("beside the nearest run that goes well:")
		p.beside(s)
		p.blank()
	}
	p.row(0, accountLabels, "searched", extent(r))
	if place.Path == "" {
		p.row(0, accountLabels, "finding", "not written")
		return p.err
	}
	p.line("%-*s%s", accountLabels, "finding", strings.TrimSuffix(place.Path, "/error.path"))
	p.line("%-*s%s", accountLabels, "replay", place.Replay)
	return p.err
}

const accountLabels = 10

// extent returns the bounds that search r has reached, such as its depth, on one line.
func extent(r *search.Result) string {
	return fmt.Sprintf("%s, %s and %s; seed %d", numerals.Many(r.Stats.States, "state"), numerals.Many(r.Stats.Transitions, "transition"),
		numerals.Many(r.Stats.Walks+r.Stats.Periphery.Walked, "walk"), r.Options.Seed)
}

// graph draws the steps around the critical one.
func (p *printer) graph(s subject) {
	at := s.Turned()
	o := eventgraph.TextOptions{Width: accountWidth, Part: eventgraph.Part{From: max(1, at-accountBefore), To: min(s.Finding.Step, at+accountAfter)}}
	p.drawn(func(w io.Writer) error { return Graph(s.Account, "").Text(w, o) })
}

// beside draws the run and the nearest live run side by side, from shortly before they part.
func (p *printer) beside(s subject) {
	there := eventgraph.New(s.Finding.Live.Trace, s.Walker().Text, eventgraph.Marks{Title: "a run that goes well"})
	both := eventgraph.Compare(Graph(s.Account, "the run"), there)
	p.drawn(func(w io.Writer) error { return both.Text(w, eventgraph.TextOptions{Width: besideWidth}) })
}

// afterTurn has the words in which a report describes that a failure could still be avoided
// before the critical step. Only kinds of critical steps after which it may still be avoided have
// an entry.
var afterTurn = map[account.Turn]string{
	account.TurnLast:  "until then it could be avoided",
	account.TurnFewer: "clearly fewer walks avoid it after this than before",
}

// Graph returns the event graph of a finding's run, under a title. It does not have the states.
func Graph(a *account.Account, title string) *eventgraph.Graph {
	marks := eventgraph.Marks{Title: title, Failed: a.Finding.Step, Why: subject{a}.gist()}
	if a.Finding.Declined != "" {
		marks.Why += "; " + a.Finding.Declined
	}
	if a.Turn().In() {
		marks.Critical, marks.After = a.Turned(), afterTurn[a.Turn()]
		if a.Hot() {
			marks.After = "after it a fair run need not become cold any more"
		}
	}
	if l := a.Finding.Lasso; l != nil && l.From < a.Finding.Step {
		marks.Again = l.From + 1
	}
	return eventgraph.New(a.Finding.Trace, a.Walker().Text, marks)
}

func (p *printer) drawn(draw func(io.Writer) error) {
	var b strings.Builder
	if err := draw(&b); err != nil && p.err == nil {
		p.err = err
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	for _, line := range lines[:min(len(lines), accountLines)] {
		p.line("  %s", line)
	}
	if n := len(lines) - accountLines; n > 0 {
		p.line("  ... %s, in the folder of the finding", numerals.Many(n, "more line"))
	}
}
