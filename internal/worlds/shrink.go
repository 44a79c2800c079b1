package worlds

import (
	"slices"

	"macemc/internal/bubble"
)

// shrinkMost is how many runs a tape may be made smaller with.
const shrinkMost = 250

// kept are kinds of draws that may be enough by themselves: most often what the script
// chose is, and the fewer there are, the better one reads them.
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

// without returns every kind but one.
func without(kind bubble.Kind) (rest []bubble.Kind) {
	for k := range bubble.Kinds {
		if k != kind {
			rest = append(rest, k)
		}
	}
	return rest
}

// shrink leaves out draws, as long as the world fails alike, and counts its runs.
func (s *Search) shrink(t *tape, want Failure) (draws []bubble.Draw, runs int, err error) {
	try := func(draws []bubble.Draw) (bool, error) {
		if runs == shrinkMost || s.Stop != nil && s.Stop() {
			return false, nil
		}
		runs++
		r, err := s.take(t.with(draws), 0)
		return r.failure != nil && alike(*r.failure, want), err
	}
	draws = t.draws
	for _, keep := range kept {
		rest := slices.DeleteFunc(slices.Clone(draws), func(d bubble.Draw) bool { return !slices.Contains(keep, d.Kind) })
		if len(rest) == len(draws) {
			continue
		}
		if ok, err := try(rest); err != nil {
			return nil, runs, err
		} else if ok {
			draws = rest
		}
	}
	draws, err = least(draws, try)
	return draws, runs, err
}

// least removes parts of a list, halves first, as long as try accepts the rest.
func least(list []bubble.Draw, try func([]bubble.Draw) (bool, error)) ([]bubble.Draw, error) {
	for size := (len(list) + 1) / 2; size > 0; {
		smaller := false
		for at := len(list); at > 0; { // the last first: what comes after the failure is in nobody's way
			from := max(0, at-size)
			rest := slices.Concat(list[:from], list[at:])
			ok, err := try(rest)
			if err != nil {
				return list, err
			}
			if ok {
				list, smaller = rest, true
			}
			at = from
		}
		if size == 1 && !smaller {
			break
		}
		size = max(1, min(size/2, len(list)/2))
		if len(list) == 0 {
			break
		}
	}
	return list, nil
}
