package critical

import (
	"slices"

	"macemc/choose"
	"macemc/internal/wording"
)

// without tries the present run without the steps for which out returns true. If s.keep is set, it keeps the last
// step in any case.
func (s *shrinker) without(out func(i int, step *choose.Step) bool) error {
	steps := s.now().Path.Steps
	var left []int
	for i := range steps {
		if i == len(steps)-1 && s.keep || !out(i, &steps[i]) {
			left = append(left, i)
		}
	}
	if len(left) == len(steps) {
		return nil
	}
	_, err := s.try(s.now().Case, left)
	return err
}

// faults tries the present run without all of its wild steps (faults, and other steps that are impossible once
// the environment has healed), and then without each of them.
func (s *shrinker) faults() error {
	wild := s.now().Wild
	if !slices.Contains(wild, true) {
		return nil
	}
	if err := s.without(func(i int, _ *choose.Step) bool { return wild[i] }); err != nil {
		return err
	}
	for i := s.length() - 1; i >= 0; i-- {
		if i < s.length() && s.now().Wild[i] {
			if err := s.without(func(k int, _ *choose.Step) bool { return k == i }); err != nil {
				return err
			}
		}
	}
	return nil
}

// nodes tries the present run without the steps of one node, for each node in turn. Steps that are at no node
// are removed by their kind.
func (s *shrinker) nodes() error {
	for _, node := range s.classes(where) {
		if err := s.without(func(_ int, step *choose.Step) bool { return where(step) == node }); err != nil {
			return err
		}
	}
	return nil
}

// stretches tries the present run without each stretch of consecutive steps, from the last one to the first. It
// begins with stretches of half of the run, and goes on to shorter ones: steps that could not be removed in a
// longer stretch may be removed in a shorter one.
func (s *shrinker) stretches() error {
	for size := max(1, s.length()/2); ; size /= 2 {
		for end := s.length(); end > 0; end -= size {
			end = min(end, s.length())
			from := max(0, end-size)
			if err := s.without(func(i int, _ *choose.Step) bool { return i >= from && i < end }); err != nil {
				return err
			}
		}
		if size == 1 {
			return nil
		}
	}
}

// alikeMost is the largest number of steps of one class that are removed together.
const alikeMost = 24

// classmates tries the present run without some consecutive steps of one class, whatever other steps lie
// between. This removes steps that cannot be removed one by one: seven ticks of a node that counts to seven,
// or the three messages of one round among other activity. It returns after the first class of which it could
// remove steps, since the other passes then get further at less cost.
func (s *shrinker) classmates() error {
	before := s.length()
	for _, of := range classes {
		for _, class := range s.classes(of) {
			for size := alikeMost; size > 1; size-- {
				if err := s.some(of, class, size); err != nil {
					return err
				}
			}
			if s.length() < before {
				return nil
			}
		}
	}
	return nil
}

// some tries the present run without size consecutive steps of a class, from the last ones to the first. Each
// attempt overlaps half of the previous one. of returns the class of a step.
func (s *shrinker) some(of func(*choose.Step) string, class string, size int) error {
	members := s.members(of, class)
	for end := len(members); end >= size; {
		before := s.length()
		some := members[end-size : end]
		if err := s.without(func(i int, _ *choose.Step) bool {
			_, is := slices.BinarySearch(some, i)
			return is
		}); err != nil {
			return err
		}
		if s.length() == before {
			end -= (size + 1) / 2
			continue
		}
		members = s.members(of, class)
		end = min(end, len(members))
	}
	return nil
}

// members returns the indices of the steps of a class. of returns the class of a step.
func (s *shrinker) members(of func(*choose.Step) string, class string) (all []int) {
	steps := s.now().Path.Steps
	for i := range steps {
		if of(&steps[i]) == class {
			all = append(all, i)
		}
	}
	return all
}

// classes returns the classes of the present run's steps, each once, in the order of their first steps. The
// function of returns the class of a step.
func (s *shrinker) classes(of func(*choose.Step) string) (all []string) {
	steps := s.now().Path.Steps
	for i := range steps {
		if class := of(&steps[i]); !slices.Contains(all, class) {
			all = append(all, class)
		}
	}
	return all
}

// classes has the functions that return the class of a step: by event, by kind, by node.
var classes = [...]func(*choose.Step) string{what, kind, where}

func what(s *choose.Step) string { return s.Event.What }

func where(s *choose.Step) string {
	id := wording.Identify(s.Event.What)
	if id.Node.IsZero() {
		return id.Kind.String()
	}
	return id.Node.String()
}

func kind(s *choose.Step) string {
	return wording.Identify(s.Event.What).Kind.String()
}
