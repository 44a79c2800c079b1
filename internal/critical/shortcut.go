package critical

import (
	"cmp"
	"slices"

	"macemc/internal/search"
)

// A shortcut begins at one of this many states of the run, at even distances, the last first.
const shortcutParts = 4

// shortcuts replaces the end of a run by a shorter way to the same failure, until none is
// shorter. Where steps can only be taken out, a run stays as long as the way by which it came to
// its failure, and another way may be much shorter. So it takes walks from some states of the
// run; of those from one state that fail in the same way, the shortest is made shorter as the
// run itself was. A run that fails as it starts has no state to walk from.
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
	}
}

// shortcut replaces the run by a walk from one of its states, made shorter, if that is shorter.
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
		err = s.aligned()
	}
	if len(s.best) > 0 && s.length() < shorter {
		best = append(best, s.now())
	}
	s.best = best
	return err
}
