package critical

import (
	"slices"
)

// How far drifting goes: it ends after this many runs in a row of which none was shorter, fewer as long as other
// passes may get further at less cost, and no step is moved beyond that many others.
const (
	driftFirst = 300
	driftMost  = 1_200
	driftEach  = 16 // for each step of the run, if that is fewer
	driftFar   = 64
)

// drift moves steps to other places in the run, and takes some out, at random. It ends when many such runs in a row
// were not shorter. A run that is as short as the present one takes its place meanwhile. A step that cannot be
// taken out may come at another time, and then others may be superfluous: a request that waits until what it needs
// is there is not repeated. The numbers depend on nothing but the finding.
func (s *shrinker) drift(most int) error {
	if !s.survive() || s.careful {
		return nil
	}
	start, best := s.length(), slices.Clone(s.best)
	s.alike, s.causes, s.ties = true, true, true
	err := s.drifting(most)
	if s.ties = false; s.length() == start {
		s.best = best
	}
	return err
}

func (s *shrinker) drifting(most int) error {
	for vain := 0; vain < min(most, driftEach*s.length()); vain++ {
		before := s.length()
		if err := s.drifted(); err != nil {
			return err
		}
		if s.length() < before {
			vain = 0
		}
	}
	return nil
}

// drifted tries the run with one to three random changes.
func (s *shrinker) drifted() error {
	kept := all(s.length())
	for range 1 + s.draws.below(3) {
		if len(kept) < 2 {
			return nil
		}
		from := s.draws.below(len(kept))
		switch of := s.draws.below(4); of {
		case 0: // take it out, with some that follow
			kept = slices.Delete(kept, from, min(len(kept), from+1+s.draws.below(4)))
		default:
			to := from + 1 + s.draws.below(driftFar)
			if of == 1 {
				to = from - 1 - s.draws.below(driftFar)
			}
			step := kept[from]
			kept = slices.Delete(kept, from, from+1)
			kept = slices.Insert(kept, max(0, min(to, len(kept))), step)
		}
	}
	_, err := s.try(s.now().Case, kept)
	return err
}

// draws is a stream of numbers, in integers only.
type draws uint64

// below draws a number below n.
func (d *draws) below(n int) int {
	*d += 0x9e3779b97f4a7c15
	x := uint64(*d)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}
