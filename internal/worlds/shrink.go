package worlds

import (
	"slices"

	"macemc/internal/bubble"
)

// shrinkMost is the largest number of runs that are taken to make a tape smaller.
const shrinkMost = 1000

// kept lists sets of kinds of draws. A tape with the draws of only one of these sets is
// tried first. The choices of the script suffice most often, and a tape with fewer kinds of
// draws is easier to read.
var kept = [][]bubble.Kind{
	{bubble.Choice},
	{bubble.Choice, bubble.Host},
	{bubble.Choice, bubble.Rand},
	{bubble.Choice, bubble.Yield},
	{bubble.Choice, bubble.Select, bubble.Tie, bubble.Next},
	{bubble.Choice, bubble.Host, bubble.Rand},
	{bubble.Choice, bubble.Host, bubble.Yield},
	{bubble.Choice, bubble.Host, bubble.Select, bubble.Tie, bubble.Next},
	{bubble.Choice, bubble.Host, bubble.Yield, bubble.Select, bubble.Tie, bubble.Next},
	{bubble.Choice, bubble.Host, bubble.Yield, bubble.Rand},
	without(bubble.Rand), without(bubble.Yield), without(bubble.Tie), without(bubble.Next), without(bubble.Select), without(bubble.Host),
}

// without returns all kinds except one.
func without(kind bubble.Kind) (rest []bubble.Kind) {
	for k := range bubble.Kinds {
		if k != kind {
			rest = append(rest, k)
		}
	}
	return rest
}

// shrink removes draws from tape t as long as the world fails as want says. It returns the
// draws that are left and the number of runs.
func (s *Search) shrink(t *tape, want Failure) (draws []bubble.Draw, runs int, err error) {
	spent := func() bool { return runs >= shrinkMost || s.Stop != nil && s.Stop() }
	for _, keep := range kept {
		rest := slices.DeleteFunc(slices.Clone(t.draws), func(d bubble.Draw) bool { return !slices.Contains(keep, d.Kind) })
		if len(rest) == len(t.draws) || spent() {
			continue
		}
		runs++
		r, err := s.take(t.with(rest), 0)
		if err != nil {
			return nil, runs, err
		}
		if r.failure != nil && alike(*r.failure, want) {
			t = t.with(rest)
		}
	}
	draws, err = least(t.draws, func(list []bubble.Draw, cuts [][2]int) (int, error) {
		if spent() {
			return -1, nil
		}
		i, tried, err := s.cut(t.with(list), cuts[:min(len(cuts), shrinkMost-runs)], nil, func(f *Failure) bool { return f != nil && alike(*f, want) })
		runs += tried
		return i, err
	})
	return draws, runs, err
}

// cut takes, for each of the cuts, a world that follows tape t without the draws in that cut, until wanted
// accepts the outcome of one. It returns the index of its cut, or -1, and the number of cuts tried. If until
// is not nil, the worlds follow the whole tape up to that step, and their later draws are random.
func (s *Search) cut(t *tape, cuts [][2]int, until *uint32, wanted func(*Failure) bool) (which, tried int, err error) {
	file, done, err := s.spool(t)
	if err != nil {
		return -1, 0, err
	}
	defer done()
	for from := 0; from < len(cuts); {
		j := job{Tape: file, Cuts: cuts[from:], From: from, Stride: 1, Free: until != nil}
		if j.Free {
			j.Until = *until
		}
		r, err := s.run(j)
		if err != nil {
			return -1, from, err
		}
		passed := r.worlds
		if r.failure != nil && r.world >= from {
			passed = r.world - from
		}
		switch {
		case passed > 0 && wanted(nil):
			return from, from + 1, nil
		case r.failure != nil && wanted(r.failure):
			return r.world, r.world + 1, nil
		case r.failure == nil && r.next == 0:
			return -1, len(cuts), nil
		case r.failure == nil:
			from = r.next
		default:
			from = max(r.world, from) + 1
		}
	}
	return -1, len(cuts), nil
}

// least removes parts of a list, halves first, as long as the rest is good. first gets the list and parts of
// it, and returns the index of the first part without which the list is good, or -1.
func least(list []bubble.Draw, first func([]bubble.Draw, [][2]int) (int, error)) ([]bubble.Draw, error) {
	for size := (len(list) + 1) / 2; size > 0 && len(list) > 0; {
		smaller := false
		for at := len(list); at > 0; { // from the end: draws after the failure can be removed at once
			var cuts [][2]int
			for to := at; to > 0; to -= size {
				cuts = append(cuts, [2]int{max(0, to-size), to})
			}
			i, err := first(list, cuts)
			if err != nil {
				return list, err
			}
			if i < 0 {
				break
			}
			list, smaller, at = slices.Concat(list[:cuts[i][0]], list[cuts[i][1]:]), true, cuts[i][0]
		}
		if size == 1 && !smaller {
			break
		}
		size = max(1, min(size/2, len(list)/2))
	}
	return list, nil
}
