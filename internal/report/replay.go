package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/trace"
)

// Replayed writes the result of replaying a recorded path, as text, with all steps if all
// is set, or else the last ones. Its last line is that of Outcome.
func Replayed(w io.Writer, path *choose.Path, r *search.Replayed, all bool) error {
	p := &printer{w: w, all: all}
	s := replayed(path, r)
	p.line("%s", s.title())
	p.blank()
	if r.Finding.Verdict != trace.VerdictNone {
		p.finding(s)
	}
	p.steps(s)
	p.line("%s", outcome(s, path, r))
	return p.err
}

// Outcome writes in one line whether a recorded path ended in the same way again.
func Outcome(w io.Writer, path *choose.Path, r *search.Replayed) error {
	p := &printer{w: w}
	p.line("%s", outcome(replayed(path, r), path, r))
	return p.err
}

// Recorded describes the failure for which a path was recorded, if the run ends differently now. Otherwise it
// returns "".
func Recorded(path *choose.Path, r *search.Replayed) string {
	if r.Reproduced || r.Recorded == trace.VerdictNone {
		return ""
	}
	recorded := "recorded for " + r.Recorded.String()
	if violates, ok := path.Get("violates"); ok {
		recorded += ", " + strconv.Quote(violates)
	}
	return recorded
}

// Heading describes in one line how a recorded path ended.
func Heading(path *choose.Path, r *search.Replayed) string {
	return replayed(path, r).title()
}

func replayed(path *choose.Path, r *search.Replayed) subject {
	return subject{account.Replayed(path, r)}
}

// outcome returns the last line: whether the failure happened again, or what happened instead.
func outcome(s subject, path *choose.Path, r *search.Replayed) string {
	now := s.outcome()
	if r.Reproduced {
		return "reproduced: " + now
	}
	if r.Recorded == trace.VerdictDead && r.Finding.Verdict == trace.VerdictNone {
		now += ", and live states can be reached from its end"
	}
	return fmt.Sprintf("not reproduced: %s; now %s", cmp.Or(Recorded(path, r), "recorded for "+r.Recorded.String()), now)
}

// outcome returns the verdict, the violated property and the step of the failure.
func (s subject) outcome() string {
	f := s.Finding
	where := ", " + at(f.Step)
	switch {
	case f.Verdict == trace.VerdictNone:
		return s.gist()
	case f.Verdict == trace.VerdictDead:
		return "dead, " + wording.Quoted(s.Finding.Failing) + where
	case f.Property != "":
		return f.Verdict.String() + ", " + strconv.Quote(f.Property) + where
	default:
		return f.Verdict.String() + where
	}
}
