package critical

import (
	"cmp"
	"slices"

	"macemc/internal/search"
)

// shortcutParts is the number of states of the present run at which a shortcut (a shorter way to the same
// failure) may begin. They are evenly spaced, and the last one is tried first.
const shortcutParts = 4

// After drifting, a short run gets more walks without faults, from each of the states at which a shortcut may
// begin: shortcutSteps divided by the number of the run's steps, but at most shortcutTimes the usual number.
// Removing steps of a short run seldom leads to another form of it, while walks do.
const (
	shortcutSteps = 10_000
	shortcutTimes = 8
)

// storms are the numbers of steps at the beginning of a walk for a shortcut in which faults may happen. With 0
// the environment heals at once, so that no walk can come to a failure that needs one more fault.
var storms = [...]int{0, 5, 40}

// shortcuts replaces the end of the present run by a shorter way to the same failure, until it finds none, and
// drifts after each time. Removing steps cannot find such a way, since it keeps to the way by which the run
// came to its failure.
func (s *shrinker) shortcuts() error {
	for {
		before := s.length()
		if err := s.shortcutsBy(shortcutTimes); err != nil || s.length() == before {
			return err
		}
		if err := s.drifts(); err != nil {
			return err
		}
	}
}

// firstShortcuts looks for shortcuts by few walks. It comes before drifting, which would be in vain for a run
// that a shortcut replaces.
func (s *shrinker) firstShortcuts() error { return s.shortcutsBy(1) }

// shortcutsBy takes walks from some states of the present run, at most times the usual number. It shrinks the
// shortest walk from each state that fails in the same way as the run. A run that fails in the starts of its
// nodes has no state from which to walk.
func (s *shrinker) shortcutsBy(times int) error {
	if !s.survive() || s.careful || s.length() == 0 {
		return nil
	}
	for part := shortcutParts - 1; part >= 0; part-- {
		for _, storm := range storms {
			at := s.length() * part / shortcutParts
			if storm > 0 && !s.now().MayStorm(at) {
				break
			}
			count := s.opts.Search.EvidenceWalks
			if storm == 0 {
				count = max(count, min(times*count, shortcutSteps/max(1, s.length())))
			}
			if err := s.shortcut(at, storm, count); err != nil {
				return err
			}
		}
	}
	return nil
}

// shortcut takes count walks from the state of the present run after at steps, with faults in their first storm
// steps, and shrinks the shortest walk that fails in the same way. If the result is shorter than the run, it
// replaces the run.
func (s *shrinker) shortcut(at, storm, count int) error {
	if s.enough() {
		return errEnough
	}
	run := s.now().Case
	s.ways++
	w, err := s.lab.Walk(run, search.Walks{
		From: at, Count: count, Steps: 2 * run.Steps(), Salt: saltWay + s.ways, All: true, Survive: true, Storm: storm,
	})
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
