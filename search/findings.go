package search

import (
	"regexp"
	"strings"

	"macemc/search/internal/explore"
	"macemc/sim"
)

// findings are what a search has found: one for each verdict, property and
// critical event, and for each place of a panic. The same mistake usually shows in many states; what is alike
// is counted, and not told again.
type findings struct {
	all   []*Finding
	tried map[string]int // candidates that were confirmed, by verdict, property and place of a panic
	alike int

	ignored int // failures that are left out
}

// triesMost is how many candidates for each finding that is wanted are looked
// at: each costs its run twice, and more where it is dead.
const triesMost = 20

// wants reports whether the search goes on after this many findings.
func (r *runner) wants() bool { return len(r.findings.all) < r.opts.Findings }

// several reports whether a finding may be followed by others.
func (r *runner) several() bool { return r.opts.Findings > 1 || len(r.opts.Ignore) > 0 }

// note keeps a finding, if there is none like it, and reports whether the
// search has enough. What is not deterministic ends it: nothing else can be
// relied on.
func (r *runner) note(f *Finding) (enough bool, err error) {
	if f != nil && r.ignores(&f.Failure) {
		return false, nil
	}
	if !r.wants() { // one may be met in several phases, as dead here and as unsafe there
		r.findings.alike++
		return true, nil
	}
	if f, err = r.locate(f); err != nil {
		return true, err
	}
	for _, other := range r.findings.all {
		if f.kind() == other.kind() {
			r.findings.alike++
			return !r.wants(), nil
		}
	}
	r.findings.all = append(r.findings.all, f)
	if r.opts.Found != nil {
		r.opts.Found(f)
	}
	return !r.wants() || f.Verdict == sim.VerdictNondeterminism, nil
}

var nodeName = regexp.MustCompile(`\bn[0-9]+\b`)

// worth reports whether another candidate is looked at.
func (r *runner) worth(f *sim.Failure) bool {
	if r.ignores(f) {
		return false
	}
	key := f.Verdict.String() + " " + f.Property + thrownAt(f) // else a panic that is met often hides the others
	if r.findings.tried == nil {
		r.findings.tried = map[string]int{}
	}
	if r.findings.tried[key] >= triesMost*r.opts.Findings {
		r.findings.alike++
		return false
	}
	r.findings.tried[key]++
	return true
}

// kind is what findings are told apart by: what is wrong, and where. Where is the
// event after which it was too late, whatever nodes it was about and whatever it
// carried; of a panic, the place in the source.
func (f *Finding) kind() [3]string {
	event := f.Identity
	switch {
	case f.Verdict == sim.VerdictDead && f.Critical != nil:
		event = f.Critical.Event
	case f.Verdict == sim.VerdictDead:
		event = ""
	case f.Stack != "":
		event = thrownAt(&f.Failure)
	}
	event = nodeName.ReplaceAllString(event, "n*")
	return [3]string{f.Verdict.String(), f.Property, carried.ReplaceAllString(event, "{}")}
}

var carried = regexp.MustCompile(`\{.*\}`)

// thrownAt is the place where a service panicked, with its message: a place may be
// a function that makes the panics of others. What numbers the message tells does
// not matter.
func thrownAt(f *sim.Failure) string {
	if f.Stack == "" {
		return ""
	}
	_, rest, _ := strings.Cut(f.Stack, "\n")
	place, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(place) + " " + numberText.ReplaceAllString(f.Message, "0")
}

var numberText = regexp.MustCompile(`[0-9]+`)

// noteWrong makes a finding of what is wrong with the state that an explorer has just
// reached, if it is worth it; errEnough: no more are wanted.
func (r *runner) noteWrong(x *explore.Explorer, failure *sim.Failure, dead bool) (err error) {
	if !r.worth(failure) {
		return nil
	}
	answers := x.Found()
	steps := answers.Length()
	var f *Finding
	if dead {
		f, err = r.judge(answers, x.Climate, x.World, steps, true)
	} else {
		failure.Step = steps
		f, err = r.confirm(answers, x.Climate, failure)
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
