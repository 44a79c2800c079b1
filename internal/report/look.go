package report

import (
	"cmp"
	"io"
	"slices"

	"macemc/choose"
	"macemc/internal/account"
	"macemc/internal/search"
	"macemc/trace"
)

// Look is the result of the analysis of a recorded path.
type Look string

// The outcomes of the analysis of a path.
const (
	LookDone     Look = "done"
	LookStopped  Look = "stopped"  // the analysis was stopped before everything was tried
	LookAlive    Look = "alive"    // the path does not end dead: a live state can be reached from its end
	LookHarmless Look = "harmless" // the path does not end in a failure
	LookStuck    Look = "stuck"    // a handler never returned, so nothing could be tried after that
)

// Looked writes the result of the analysis of a recorded path: the first finding, the other
// findings that walks met, and the folders of those whose accounts are given.
func Looked(w io.Writer, r *search.Result, how Look, all ...*account.Account) error {
	p := &printer{w: w}
	s := about(r)
	if how == LookAlive {
		reached := "a live state"
		if !s.System.Assume.IsZero() {
			reached += ", or one that does not count,"
		}
		p.line("%s: not dead: %s can be reached from the end of the run, %s", s.Name(), reached, after(s.Finding.Step))
		return p.err
	}
	for i, s := range subjects(r, all) {
		title := s.title()
		if i > 0 {
			title = cutTo(widest, "found besides: "+s.gist())
		}
		p.line("%s", title)
		p.blank()
		p.finding(s)
		p.steps(s)
	}
	if how == LookStopped {
		p.line("stopped before everything was tried")
		p.blank()
	}
	for i, a := range all {
		if i > 0 {
			p.blank()
		}
		p.place(a.Place)
	}
	return p.err
}

// Harmless writes that a recorded path cannot be analyzed because it does not end in a
// failure. live says whether it ends in a live state.
func Harmless(w io.Writer, path *choose.Path, r *search.Replayed, live bool) error {
	p := &printer{w: w}
	s := replayed(path, r)
	if r.Recorded == trace.VerdictNone {
		end := ""
		if live {
			end = ", and it ends live"
		}
		p.line("%s: %s%s: there is no critical step to find", s.Name(), s.gist(), end)
	} else {
		p.line("%s", outcome(s, path, r))
	}
	return p.err
}

// LookedJSON writes the result of the analysis of a recorded path as one JSON object, with the folders of
// the findings whose accounts are given.
func LookedJSON(w io.Writer, path *choose.Path, r *search.Result, how Look, all ...*account.Account) error {
	found := subjects(r, all)
	if len(found) == 0 {
		found = []subject{about(r)}
	}
	recorded, _ := path.Get("verdict")
	first, longer, others := findingOf(found[0]), any(nil), []object{}
	if how == LookHarmless || how == LookAlive {
		copy(first, object{{"verdict", trace.VerdictNone.String()}, {"property", nil}, {"message", nil}})
	} else {
		if r.Finding.Found != nil {
			longer = len(r.Finding.Found.Steps)
		}
		others = objects(found[:len(r.Findings)], findingOf)
	}
	return write(w, slices.Concat(object{
		{"version", version}, {"system", r.System.Name}, {"bugs", bugs(r.Params)}, {"params", params(r.System, r.Params)},
		{"recorded", cmp.Or(recorded, trace.VerdictNone.String())}, {"outcome", string(how)},
	}, first, object{{"found_steps", longer}, {"findings", others}}))
}
