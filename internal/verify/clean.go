package verify

import (
	"fmt"
	"reflect"
	"strings"

	"macemc/search"
)

const (
	times       = 10        // the effort of the slowest bug
	statesLeast = 1_000_000 // of a space that is not closed
	tries       = 5         // each with twice the effort of the one before
)

// clean searches the system of a bug without it, and notes what comes of it at
// all bugs of the system with the same flags: it needs ten times the effort of
// the slowest of them.
func (s *session) clean(first int) error {
	e := s.report.Bugs[first].Entry
	var alike []*Bug
	transitions, steps := 0, 0
	for i := range s.report.Bugs {
		b := &s.report.Bugs[i]
		if b.Entry.System != e.System || !reflect.DeepEqual(b.Entry.Flags, e.Flags) {
			continue
		}
		alike = append(alike, b)
		for _, r := range b.Runs {
			transitions, steps = max(transitions, r.Stats.Transitions), max(steps, r.Stats.Steps)
		}
	}
	transitions, steps = times*transitions, times*steps
	c := &Clean{}
	effort, walks := max(transitions, 6*statesLeast), max(10_000, steps/200)
	for range tries {
		what := strings.Join(append([]string{e.System.Name, "without a bug"}, e.Flags.Args()...), " ")
		r, err := s.search(what, e, 1, search.Options{Effort: effort, Paths: walks})
		if err != nil || r == nil {
			return err
		}
		more := false
		c.Result = r
		if c.Problem, more = unclean(r, transitions, steps); !more {
			break
		}
		effort, walks = 2*effort, 2*walks
	}
	for _, b := range alike {
		b.Clean = c
	}
	return nil
}

// unclean says why a search without a bug does not count as clean, and whether
// more effort may help.
func unclean(r *search.Result, transitions, steps int) (problem string, more bool) {
	closed := func(s search.State) bool { return s == search.StateExhausted || s == search.StateExhaustedWithin }
	undecided := !closed(r.Safety.State) || !closed(r.Liveness.State) && r.Liveness.State != search.StateNone
	switch s := r.Stats; {
	case r.Finding != nil:
		return fmt.Sprintf("found is %s: %s %s", r.Finding.Verdict, r.Finding.Property, r.Finding.Message), false
	case undecided && s.Transitions < transitions:
		return fmt.Sprintf("%d transitions are less than ten times those of the slowest bug", s.Transitions), true
	case undecided && s.Steps < steps:
		return fmt.Sprintf("%d steps are less than ten times those of the slowest bug", s.Steps), true
	case undecided && s.States < statesLeast:
		return fmt.Sprintf("%d states are neither all nor a million", s.States), true
	case len(r.Never) > 0:
		return "never exercised: " + strings.Join(r.Never, "; "), false
	}
	return "", false
}
