package critical

import (
	"cmp"
	"slices"

	"macemc/internal/search"
)

// shortcutParts is the number of states of the run at which a shortcut may begin. They are evenly spaced, and
// the last one is tried first.
const shortcutParts = 4

// shortcuts replaces the end of the run by a shorter way to the same failure, until there is none. Removing
// steps cannot find such a way, since it keeps to the way by which the run came to its failure. So shortcuts
// takes walks from some states of the run. Of the walks from one state that fail in the same way, it shrinks
// the shortest. A run that fails as it starts has no state to walk from.
func (s *shrinker) shortcuts() error {
	if !s.survive() || s.careful || s.length() == 0 {
		return nil
	}
	for round := uint16(0); ; {
		before := s.length()
		for part := shortcutParts - 1; part >= 0; part-- {
			at := s.length() * part / shortcutParts
			if err := s.shortcut(at, saltWay+round); err != nil {
				return err
			}
			round++
		}
		if s.length() == before {
			return nil
		}
		if err := s.drifts(); err != nil {
			return err
		}
	}
}

// shortcut takes walks from one state of the run and shrinks the shortest one. If the result is shorter than
// the run, it replaces it.
func (s *shrinker) shortcut(at int, salt uint16) error {
	if s.enough() {
		return errEnough
	}
	run := s.now().Case
	w, err := s.lab.Walk(run, search.Walks{From: at, Count: s.opts.Search.EvidenceWalks, Steps: 2 * run.Steps(), Salt: salt, All: true, Survive: true})
	if err != nil {
		return err
	}
	s.walked += w.Taken
	failed := slices.DeleteFunc(w.Failed, func(f search.Failed) bool {
		return f.Failure.Verdict != s.want.Verdict || f.Failure.Property != s.want.Property
	})
	if len(failed) == 0 {
		return nil
	}
	c, err := s.lab.Failing(run, slices.MinFunc(failed, func(a, b search.Failed) int { return cmp.Compare(a.Failure.Step, b.Failure.Step) }))
	if err != nil {
		return err
	}
	shorter, best := s.length(), s.best
	s.best = nil
	ok, err := s.try(c, all(c.Steps()))
	if ok {
		err = s.descend()
	}
	if len(s.best) > 0 && s.length() < shorter {
		best = append(best, s.now())
	}
	s.best = best
	return err
}
