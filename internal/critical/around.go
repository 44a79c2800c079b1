package critical

import (
	"slices"

	"macemc/internal/decide"
	"macemc/internal/search"
	"macemc/trace"
)

// The limits of the search around the end of a run, and of the search for detours.
const (
	exhaustLong = 24      // the largest number of steps of a run that exhaust searches
	exhaustMost = 10_000  // the largest number of states that it visits
	aroundFirst = 4       // how many steps before the end the search begins at first
	aroundMost  = 20_000  // the largest number of states that one search may visit
	detourLong  = 24      // the largest number of steps of a detour: a part of a run that a shorter way can replace
	detourNext  = 6       // the number of steps between two states in which a search for a detour begins
	detourMost  = 3_000   // the largest number of states that one search for a detour may visit
	detoursMost = 150_000 // the effort after which no more detours are looked for
)

// exhaust searches exhaustively from the start of a short run, before steps are moved at random. Often it shows that no
// order of events of the forms that the run has is shorter, so that moving steps would be in vain.
func (s *shrinker) exhaust() error {
	for s.survive() && !s.careful && s.least != s.length() && s.length() <= exhaustLong {
		if _, shorter, err := s.near(s.length(), exhaustMost); !shorter || err != nil {
			return err
		}
	}
	return nil
}

// around looks for a shorter way to the same failure by searching exhaustively from a state a few steps before the
// end of the run. If that search finds none and was complete, around searches from a state twice as far from the end,
// then four times as far, and so on. It ends when a search visits too many states to complete it.
func (s *shrinker) around() error {
	if !s.survive() || s.careful {
		return nil
	}
	for back := aroundFirst; s.least != s.length(); {
		back = min(back, s.length())
		whole, shorter, err := s.near(back, aroundMost)
		switch {
		case err != nil:
			return err
		case shorter:
			back = aroundFirst
		case !whole:
			return nil
		default:
			back *= 2
		}
	}
	return nil
}

// near searches for a shorter way to the same failure. The search is exhaustive: it begins in the state that lies the
// number back of steps before the end of the run, and visits as many states as most says, or fewer. whole reports
// that it visited all states that follow, and found no such way. If it found one, the run is shorter.
func (s *shrinker) near(back, most int) (whole, shorter bool, err error) {
	if s.enough() {
		return false, false, errEnough
	}
	c, whole, err := s.lab.Nearest(s.now().Case, s.length()-back, most, func(f *trace.Failure) bool {
		return f.Verdict == s.want.Verdict && f.Property == s.want.Property
	})
	if whole && back == s.length() {
		s.least = back
	}
	if c == nil || err != nil {
		return whole, false, err
	}
	if shorter, err = s.try(c, all(c.Steps())); shorter && err == nil {
		err = s.aligned()
	}
	return false, shorter, err
}

// stood is a candidate that shrinker.sure has confirmed, with the decision about it.
type stood struct {
	*candidate
	res    *decide.Result
	escape *search.Success // as shrinker.escape
}

// detours shortens a dead run that shrinker.sure has confirmed. If the run comes from one of its states to a later
// one by a detour, detours replaces the detour by a shorter way between the two states. The last state stays the same
// and, if s.keep is set, so does the state before it. It is known already that the last state is dead and that the
// one before could recover, so no more walks are needed.
func (s *shrinker) detours(c *stood) (*stood, error) {
	last := 0 // the number of steps at the end that stay
	if s.keep {
		last = 1
	}
	most := s.lab.Effort() + detoursMost
	for from := max(0, c.Steps()-detourLong); ; {
		if s.lab.Effort() >= most || s.Stopped(1) || s.opts.Enough != nil && s.opts.Enough() {
			return c, nil
		}
		way, at, err := s.lab.Rejoin(c.Case, from, min(from+detourLong, c.Steps()-last), detourMost)
		if err != nil {
			return c, err
		}
		if way != nil {
			short, err := s.rejoined(c, way, at, last)
			if err != nil {
				return c, err
			}
			if short != nil {
				c = short
				from = min(from, max(0, c.Steps()-last-1))
				continue
			}
		}
		if from == 0 {
			return c, nil
		}
		from = max(0, from-detourNext)
	}
}

// rejoined returns the run that takes the steps of way, and then the steps of c that follow its first at ones. It
// compares the last state of both runs, and the states before it, as many as last says. It returns nil if they
// differ.
func (s *shrinker) rejoined(c *stood, way *search.Case, at, last int) (*stood, error) {
	steps := slices.Concat(way.Path.Steps, c.Path.Steps[at:])
	of, _, err := s.lab.TakeSome(c.Path.Start, steps, false, true)
	if err != nil || of == nil || of.Steps() != len(steps) || of.Failure != nil {
		return nil, err
	}
	for k := range last + 1 {
		if of.Healed(of.Steps()-k) != c.Healed(c.Steps()-k) {
			return nil, nil
		}
	}
	short := &stood{candidate: &candidate{Case: of, proved: c.proved}, res: c.res}
	if c.escape != nil {
		before, now := c.Steps()-1, of.Steps()-1
		way, err := s.wayOf(c.candidate, before, *c.escape)
		if err != nil {
			return nil, err
		}
		if short.escape, err = s.repeats(short.candidate, now, way); err != nil {
			return nil, err
		}
	}
	return short, nil
}
