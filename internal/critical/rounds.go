package critical

import (
	"slices"

	"macemc/choose"
)

// rounds tries the present run without some of its rounds. A round is a step that no other step has caused,
// such as a timer, with all steps that it causes: a whole election, for example. The pass leaves out several
// consecutive rounds at once, half of all at first and then fewer, and goes from the last round to the first.
// So it removes a superfluous round in one try, whatever other steps lie between. It does nothing for a dead
// run, since there each try would cost walks; such runs are shortened by stretches.
func (s *shrinker) rounds() error {
	if !s.survive() {
		return nil
	}
	for size := max(1, len(s.beginnings())/2); ; size /= 2 {
		for end := len(s.beginnings()); end > 0; end -= size {
			begin, of := s.beginnings(), s.origins()
			end = min(end, len(begin))
			out := begin[max(0, end-size):end]
			if err := s.without(func(i int, _ *choose.Step) bool { return slices.Contains(out, of[i]) }); err != nil {
				return err
			}
		}
		if size == 1 {
			return nil
		}
	}
}

// origins returns, for each step, the index of the first step of its round.
func (s *shrinker) origins() []int {
	of := all(s.length())
	for i := range of {
		if cause := s.now().Cause(i); cause >= 0 {
			of[i] = of[cause]
		}
	}
	return of
}

// beginnings returns the indices of the first steps of all rounds.
func (s *shrinker) beginnings() []int {
	return slices.Compact(slices.Sorted(slices.Values(s.origins())))
}
