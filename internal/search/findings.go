package search

import (
	"regexp"
	"slices"
	"strings"

	"macemc/choose"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// findings holds the findings of a search, one of each kind: see kind. One mistake usually shows in many
// states; further findings of a kind are only counted.
type findings struct {
	opts  *Options // for Findings, Ignore and Found
	all   []*Finding
	tried map[string]int // by kind: the number of candidates that were confirmed
	alike int            // number of failed runs that did not become findings: there is one of their kind, or there are enough

	ignored int // failures that Options.Ignore leaves out
}

// newFinding makes a finding of a run with climate c. Every finding is made here; the code that takes the
// run, judge.go and the lab add to it.
func newFinding(failure trace.Failure, path *choose.Path, trace *trace.Trace, c run.Climate) *Finding {
	return &Finding{Failure: failure, Path: path, Trace: trace, climate: c}
}

// triesMost is the largest number of failed runs of one kind that are examined for each finding
// that the user wants. Examining a run takes it twice, and much more if it may be dead.
const triesMost = 20

// wants reports whether the search has fewer findings than requested.
func (f *findings) wants() bool { return len(f.all) < f.opts.Findings }

// several reports whether the search goes on after a finding.
func (f *findings) several() bool { return f.opts.Findings > 1 || len(f.opts.Ignore) > 0 }

// none reports whether no failure is known: there is no finding, and Options.Ignore describes none.
func (f *findings) none() bool { return len(f.all) == 0 && len(f.opts.Ignore) == 0 }

// known returns the number of failed runs that did not become findings, since there is a finding of their kind,
// there are enough findings, or Options.Ignore leaves them out.
func (f *findings) known() int { return f.alike + f.ignored }

// another counts a failed run that does not become a finding, since there is a finding of its kind, or there are
// enough.
func (f *findings) another() { f.alike++ }

// ignores reports whether Options.Ignore leaves out a failure. If so, it counts the failure.
func (f *findings) ignores(failure *trace.Failure) bool {
	out := f.opts.Ignores(failure)
	if out {
		f.ignored++
	}
	return out
}

// note locates the critical step of f, and keeps f unless there is a finding of its kind. It reports whether
// the search has enough findings.
func (r *runner) note(f *Finding) (enough bool, err error) {
	if f != nil && r.findings.ignores(&f.Failure) {
		return false, nil
	}
	if !r.findings.wants() { // a later phase may return one more: a run is dead for one phase and violates a property for another
		r.findings.another()
		return true, nil
	}
	if f, err = r.locate(f); err == nil {
		err = r.blameSlow(f)
	}
	if err != nil {
		return true, err
	}
	if f != nil && r.opts.ignoresCause(f) {
		r.findings.ignored++
		return false, nil
	}
	return r.findings.keep(f), nil
}

// keep adds a finding to the list, and reports whether the search should end. Finding found is not added but only
// counted if the list has one of its kind. The kind of a dead run includes its critical event; if that could not be
// located, any other dead run of the same property counts as of its kind. A finding of nondeterminism ends the
// search, since no other finding is reliable then.
func (f *findings) keep(found *Finding) (enough bool) {
	for _, other := range f.all {
		if found.kind() == other.kind() || found.Verdict == trace.VerdictDead && found.Critical == nil && found.Property == other.Property && other.Verdict == trace.VerdictDead {
			f.alike++
			return !f.wants()
		}
	}
	f.all = append(f.all, found)
	if f.opts.Found != nil {
		f.opts.Found(found)
	}
	return !f.wants() || found.Verdict == trace.VerdictNondeterminism
}

var nodeName = regexp.MustCompile(`\bn[0-9]+\b`)

// worth reports whether to confirm one more failed run, the candidate for a finding of this
// failure. It returns false, and counts the run, if the failure is ignored, if there is a finding
// of its kind, or if triesMost candidates like it were confirmed already.
func (f *findings) worth(failure *trace.Failure) bool {
	switch {
	case f.ignores(failure):
		return false
	case f.has(failure):
		f.another()
		return false
	}
	key := failure.Verdict.String() + " " + failure.Property + thrownAt(failure) // with the place, so that a frequent panic does not use up the tries of another one
	if failure.Verdict == trace.VerdictSafety {
		key += " " + CauseOf(failure.Identity) // with the event, for the same reason
	}
	if f.tried == nil {
		f.tried = map[string]int{}
	}
	if f.tried[key] >= triesMost*f.opts.Findings {
		f.alike++
		return false
	}
	f.tried[key]++
	return true
}

// has reports whether Options.Ignore leaves out a failure, or there is a finding of its kind. Unlike ignores, it
// counts nothing. It returns false for the failure of a dead run, whose kind is not known before its critical step
// is located.
func (f *findings) has(failure *trace.Failure) bool {
	if f.opts.Ignores(failure) {
		return true
	}
	k := kindOf(failure)
	return k.verdict != trace.VerdictDead && slices.ContainsFunc(f.all, func(known *Finding) bool { return known.kind() == k })
}

// kind returns the kind of a finding, which is equal for findings that are alike. It consists of the failure
// and its place: the critical event without nodes and contents or, for a panic, the place in the source.
func (f *Finding) kind() kind {
	k := kindOf(&f.Failure)
	if f.Verdict == trace.VerdictDead && f.Critical != nil {
		k.place = CauseOf(f.Critical.Event)
	}
	return k
}

type kind struct {
	verdict         trace.Verdict
	property, place string
}

// kindOf returns the kind of a failure. The kind of a dead run has no place until its critical step is
// located.
func kindOf(f *trace.Failure) kind {
	event := f.Identity
	switch {
	case f.Verdict == trace.VerdictDead, f.Verdict == trace.VerdictHot:
		event = ""
	case f.Stack != "":
		event = thrownAt(f)
	}
	return kind{f.Verdict, f.Property, CauseOf(event)}
}

var carried = regexp.MustCompile(`\{.*\}`)

// thrownAt returns the place in the source where the service panicked, from the failure's stack, and the panic's
// message with its numbers replaced by 0. The message distinguishes several reasons for which one function panics.
// thrownAt returns "" if there is no stack.
func thrownAt(f *trace.Failure) string {
	if f.Stack == "" {
		return ""
	}
	_, rest, _ := strings.Cut(f.Stack, "\n")
	place, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(place) + " " + numberText.ReplaceAllString(f.Message, "0")
}

var numberText = regexp.MustCompile(`[0-9]+`)

// noteWrong makes a finding of a failure in the state that an explorer has just reached. It does
// nothing if the method worth says that the failure need not be confirmed. dead means that the state
// is at rest and not live. It returns ErrEnough if no more findings are wanted.
func (r *runner) noteWrong(x *explore.Explorer, failure *trace.Failure, dead bool) (err error) {
	if !r.findings.worth(failure) {
		return nil
	}
	answers := x.Found()
	steps := answers.Length()
	var f *Finding
	if dead {
		f, err = r.judge(func() choose.Source { return answers }, x.Climate, x.World, steps, true)
	} else {
		f, err = r.confirm(answers, x.Climate, failedAfter(*failure, steps))
	}
	enough := false
	if err == nil && f != nil {
		enough, err = r.note(f)
	}
	if err == nil && enough {
		err = explore.ErrEnough
	}
	return err
}
