package report

import (
	"io"
	"strings"

	"macemc/internal/account"
	"macemc/internal/search"
	"macemc/trace"
)

// Told describes a finding in the words of its report.
type Told struct {
	Name     string   // the name of the system, with the known bugs that are switched on
	Title    string   // the name, and the finding in half a sentence
	Verdict  string   // the kind of the finding, in a sentence
	Live     []string // for a dead run: the liveness properties that were checked
	Failing  []string // for a dead run: the properties that fail at the end
	Evidence string   // for a dead run: the evidence, in lines
	Setting  string   // the settings of the run, on one line
}

// Tell returns the description of the finding of a.
func Tell(a *account.Account) Told {
	s, f := subject{a}, a.Finding
	t := Told{
		Name: s.Name(), Title: s.title(), Verdict: s.verdict(), Setting: s.setting(),
	}
	for _, key := range []string{"faults", "early", "net", "timers", "disk", "crashes"} { // the settings of the run, which may differ from those of the search
		if value, ok := s.Path().Get(key); ok {
			t.Setting += "; " + strings.TrimPrefix(key+" "+value, "net ")
		}
	}
	if p := keeps(s.System, s.Params, s.free()); p != "" {
		t.Setting += "; timers " + p
	}
	if f.Verdict == trace.VerdictDead {
		t.Live, t.Failing = s.Liveness(), s.Finding.Failing
	}
	if f.Verdict == trace.VerdictDead || f.Verdict == trace.VerdictHot || f.Critical != nil || f.Avoided != nil {
		t.Evidence = s.evidence()
	}
	return t
}

// Steps writes the steps of a finding's run after number from, up to number to, with all of their effects, as
// text.
func Steps(w io.Writer, a *account.Account, from, to int) error {
	p, s := &printer{w: w, all: true}, subject{a}
	p.part(s, from, min(to, s.length()))
	return p.err
}

// Searched writes the bounds of a search, its counts, and the events, answers and properties that it
// never exercised, as text.
func Searched(w io.Writer, r *search.Result) error {
	p := &printer{w: w}
	p.searched(about(r), r)
	p.never(r)
	return p.err
}

// Measured writes the measurements of a search, which differ from run to run, as text.
func Measured(w io.Writer, r *search.Result) error {
	p := &printer{w: w}
	p.measured(r)
	return p.err
}

// List returns words as in "a, b and c".
func List(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}
