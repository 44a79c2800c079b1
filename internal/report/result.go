package report

import (
	"fmt"
	"io"

	"macemc/internal/account"
	"macemc/internal/numerals"
	"macemc/internal/search"
)

const labels = 12 // the width of the column with the labels of rows

// Result writes the result of a search, as text. For findings with an account, it names their files.
func Result(w io.Writer, r *search.Result, all ...*account.Account) error {
	p := &printer{w: w}
	s, found := about(r), subjects(r, all)
	switch n := len(r.Findings); {
	case r.Finding == nil && r.Options.Prefixes > 0:
		p.prefixes(s, r)
	case r.Finding == nil:
		p.title(s.Name()+": nothing found "+within(r.Stop)+suspects(r), r)
	case n > 1:
		p.title(s.Name()+": "+numerals.Many(n, "finding")+beforeCut(r), r)
		for i, s := range found {
			p.line("%s", cutTo(widest, fmt.Sprintf("finding %d: %s", i+1, s.gist())))
			p.blank()
			p.finding(s)
			p.steps(s)
		}
	default:
		s = found[0]
		p.title(s.title(), r)
		p.finding(s)
		p.steps(s)
	}
	p.searched(s, r)
	p.space(r.Space)
	p.never(r)
	p.unran(r.Lines)
	p.measured(r)
	for i, a := range all {
		p.blank()
		if len(all) > 1 {
			p.line("finding %d:", i+1)
		}
		p.place(a.Place)
	}
	p.undecided(r)
	p.leftOut(r)
	return p.err
}

// suspects returns the number of suspected runs (walks that did not become live in time)
// for which the search did not decide whether they are dead, as text.
func suspects(r *search.Result) string {
	switch n := len(r.Undecided); n {
	case 0:
		return ""
	case 1:
		return ", but one suspected run was not decided"
	default:
		return fmt.Sprintf(", but %s suspected runs were not decided", numerals.Count(n))
	}
}

// undecided lists the suspected runs for which the search did not decide whether they are
// dead.
func (p *printer) undecided(r *search.Result) {
	if len(r.Undecided) == 0 {
		return
	}
	p.blank()
	p.line("undecided: may be dead; replay and critical decide")
	for _, one := range r.Undecided {
		file := one.File
		if file == "" {
			file = "not written"
		}
		p.line("  %6s steps  %s", numerals.Count(len(one.Steps)), file)
	}
}

// title writes the first line, and the place where the search began if it did not begin at the start.
func (p *printer) title(text string, r *search.Result) {
	p.line("%s", text)
	if r.Options.Prefix != nil {
		p.line("from %s", prefix(r))
	}
	p.blank()
}
