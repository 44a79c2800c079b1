package critical

import (
	"slices"
)

// The limits of drift.
const (
	driftEach   = 40    // drift ends after this many changes in a row for each step of the run, if none made the run shorter
	driftMost   = 3_000 // the largest number of such changes in a row
	driftLonger = 10    // one of this many changes may make the present run longer
	driftFar    = 64    // the largest number of places by which a step is moved
)

// drift changes the present run at random: it moves steps to other places, and removes some. It ends when many
// changes in a row did not make the run shorter than the shortest so far. Meanwhile a candidate that is as
// short as the present run replaces it, and now and then one that is a little longer does. The reason: a step
// that cannot be removed now may become superfluous after such a change. For example, a request that comes too
// early is repeated; if it moves to a later place, its repetition can be removed. Or a run may need one more
// task before all other steps of a round can be removed. The random numbers depend only on the finding.
func (s *shrinker) drift() error {
	if !s.survive() || s.careful { // for a dead run, each of the many changes would cost walks
		return nil
	}
	shortest := slices.Clone(s.best)
	defer func() { s.best, s.longer = shortest, -1 }()
	for vain, length := 0, s.length(); vain < min(driftMost, driftEach*length); vain++ {
		if s.longer = 0; s.draws.below(driftLonger) == 0 {
			s.longer = min(1+s.draws.below(3), length+2+length/16-s.length())
		}
		if err := s.drifted(); err != nil {
			return err
		}
		if s.length() < length {
			vain, length = 0, s.length()
			shortest = append(shortest, s.now())
		}
	}
	return nil
}

// waits moves each step that no other step has caused, such as a request or a timer, to each later place of
// the run. The reason: a request that comes too early is repeated, and the repetition can be removed if the
// request waits until its data is there. In a long run, drift rarely moves the right step to the right place.
func (s *shrinker) waits() error {
	if !s.survive() || s.careful {
		return nil
	}
	for _, s.how = range followings[:2] {
		for i := s.length() - 2; i >= 0; i-- {
			for to := s.length() - 1; i < to && s.now().Cause(i) < 0; to = min(to, s.length()) - 1 {
				if _, err := s.try(s.now().Case, slices.Insert(slices.Delete(all(s.length()), i, i+1), to, i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// drifted tries the present run with one to three random changes. It draws at random which of the followings
// (the ways to replace steps that have become impossible) the changed run uses.
func (s *shrinker) drifted() error {
	s.how = followings[s.draws.below(len(followings))]
	kept, changes := all(s.length()), 1
	for changes < 3 && s.draws.below(10) < 3 {
		changes++
	}
	for ; changes > 0 && len(kept) > 1; changes-- {
		kept = s.changed(kept)
	}
	_, err := s.try(s.now().Case, kept)
	return err
}

// changed returns the indices of the steps to take after one random change of kept. Most often a step moves
// together with its causes or with what it causes, since a step alone may not be possible elsewhere.
func (s *shrinker) changed(kept []int) []int {
	at, far := s.draws.below(len(kept)), 1+s.draws.below(driftFar)
	step, last := kept[at], min(len(kept)-1, at+far)
	switch of := s.draws.below(20); {
	case of < 4:
		return slices.Delete(kept, at, at+1)
	case of < 6:
		return slices.Delete(kept, at, min(len(kept), at+2+s.draws.below(3)))
	case of < 7:
		return slices.Delete(kept, at, min(len(kept), at+1<<s.draws.below(6)))
	case of < 9:
		return s.unlike(kept, at)
	case of < 12:
		return delay(kept, at, last, s.now().Cause)
	case of < 15:
		return hasten(kept, max(0, at-far), at, s.now().Cause)
	case of < 17:
		return slices.Insert(slices.Delete(kept, at, at+1), max(0, at-far), step)
	default:
		return slices.Insert(slices.Delete(kept, at, at+1), last, step)
	}
}

// unlike removes the step at index at of kept, and some later steps of the same class, and returns the other
// steps. Chance decides how many it removes, and what makes two steps alike: the event, the kind or the node.
func (s *shrinker) unlike(kept []int, at int) []int {
	steps, of := s.now().Path.Steps, classes[s.draws.below(len(classes))]
	class, left := of(&steps[kept[at]]), 2+s.draws.below(1+s.draws.below(alikeMost))
	return slices.Concat(kept[:at], slices.DeleteFunc(slices.Clone(kept[at:]), func(k int) bool {
		is := left > 0 && of(&steps[k]) == class
		if is {
			left--
		}
		return is
	}))
}

// delay moves the step at index step, and those that it causes, behind the one at index behind. cause returns
// the cause of a step.
func delay(kept []int, step, behind int, cause func(int) int) []int {
	moves := map[int]bool{kept[step]: true}
	var stay, move []int
	for _, k := range kept[step : behind+1] {
		if moves[k] = moves[k] || moves[cause(k)]; moves[k] {
			move = append(move, k)
		} else {
			stay = append(stay, k)
		}
	}
	return slices.Concat(kept[:step], stay, move, kept[behind+1:])
}

// hasten moves the step at index step, and those that caused it, before the one at index before. cause returns
// the cause of a step.
func hasten(kept []int, before, step int, cause func(int) int) []int {
	moves := map[int]bool{kept[step]: true}
	var stay, move []int
	for _, k := range slices.Backward(kept[before : step+1]) {
		if moves[k] {
			moves[cause(k)] = true
			move = append(move, k)
		} else {
			stay = append(stay, k)
		}
	}
	slices.Reverse(stay)
	slices.Reverse(move)
	return slices.Concat(kept[:before], move, stay, kept[step+1:])
}

// draws is a generator of random numbers that computes in integers only.
type draws uint64

// below returns a random number below n.
func (d *draws) below(n int) int {
	*d += 0x9e3779b97f4a7c15
	x := uint64(*d)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}
