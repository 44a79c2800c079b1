package mdb

import (
	"fmt"
	"strconv"

	"macemc/internal/decide"
	"macemc/internal/search"
	"macemc/trace"
)

// These limit the walks and the effort by which mdb decides whether a run that was recorded as dead is still
// dead. If they do not suffice, mdb says nothing about it.
const (
	anewWalks  = 10
	anewEffort = 20_000
)

// otherwise describes how the recorded run ends with the code as it is now, if that differs from the record. It
// returns "" if the end is the same, or if the path can no longer be followed.
func (s *Session) otherwise() string { return s.run.endsNow(s.options) }

// endsNow returns the text of Session.otherwise, which it computes only once. opts returns the options for the
// walks that this may take.
func (r *run) endsNow(opts func(walks int) search.Options) string {
	if r.recorded == nil || r.parted || r.trunk.stopped != "" {
		return ""
	}
	if !r.decided {
		r.decided, r.otherwise = true, r.decideAnew(opts)
	}
	return r.otherwise
}

func (r *run) decideAnew(opts func(walks int) search.Options) string {
	word, _ := r.recorded.Get("verdict")
	recorded, known := trace.ParseVerdict(word)
	if !known || recorded == trace.VerdictNone {
		return ""
	}
	what := recorded.String()
	violates, _ := r.recorded.Get("violates")
	if violates != "" {
		what += ", " + strconv.Quote(violates)
	}
	as := func(now string) string {
		return fmt.Sprintf("It was recorded as %s; with the code as it is now %s.", what, now)
	}
	if f := r.trunk.failure; f != nil {
		if f.Verdict == recorded && (f.Property == violates || violates == "") {
			return ""
		}
		return as("it fails otherwise: " + f.Verdict.String())
	}
	end := r.trunk.end(r)
	switch recorded {
	case trace.VerdictDead:
		if r.verdicts[end.here.verdict(end.step)].live {
			return as("its end is live")
		}
		if end.revives(opts) {
			return as("it does not fail: live states can be reached from its end")
		}
	case trace.VerdictSafety, trace.VerdictPanic, trace.VerdictUnhandled:
		return as("it does not fail")
	}
	return ""
}

// revives reports whether one of a few random walks from the cursor's state becomes live.
func (s *Cursor) revives(opts func(walks int) search.Options) bool {
	path := s.looked(s.step, trace.VerdictDead)
	lab, err := search.NewLab(s.run.player.World().System(), path, opts(anewWalks))
	if err != nil {
		return false
	}
	defer lab.Close()
	of, err := lab.Take(path)
	if err != nil {
		return false
	}
	found, err := lab.Finder(of, decide.Options{Walks: anewWalks, Effort: anewEffort, Exhaust: -1}).Recovers()
	return err == nil && found.Walk != nil
}
