package critical

import (
	"slices"
)

// The limits of drifting. It ends after driftMost runs in a row of which none was shorter; the first time,
// when other passes may get further at less cost, after driftFirst runs. A step is moved by at most driftFar
// places.
const (
	driftFirst = 300
	driftMost  = 1_200
	driftEach  = 16 // a limit for each step of the run, if that is fewer
	driftFar   = 64
)

// drift changes the run at random: it moves steps to other places, and takes some out. It ends when most
// changes in a row did not make the run shorter. Meanwhile a run that is as short as the present one takes
// its place. The reason: a step that cannot be taken out may be possible at another time, when other steps
// become superfluous. For example, a request that waits until its data is there is not repeated. The random
// numbers depend only on the finding.
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
