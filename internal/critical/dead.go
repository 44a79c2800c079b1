package critical

import (
	"errors"
	"math"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/search"
)

// trust controls how many walks are taken to accept a candidate as dead. If a run is not dead, mostly its first
// walk shows that; and it would cost much to take all walks for each candidate. So few walks are taken for each
// candidate, and now and then all walks for the candidate that was accepted last: it is examined.
type trust struct {
	walks int // the number of walks that are taken to accept a candidate
	sure  int // the number of accepted candidates up to the last one that was examined
	after int // the number of candidates to accept before the next one is examined
}

const (
	trustFew  = 2  // the number of walks that are taken to accept a candidate at first
	trustMost = 16 // the largest number of candidates that are accepted before one is examined

	escapeTimes  = 2 // if an earlier candidate needed n walks to recover from before its last step, escapeTimes*n walks are taken,
	escapesMost  = 4 // but at most this number,
	escapeLonger = 4 // and each may be this many times as long as the last walk that recovered
)

// examine tests by many walks whether the candidate that was accepted last is dead. It does nothing if fewer
// than the number after of candidates were accepted since the last examined one. If the candidate is not dead, a
// binary search finds an earlier one that is. That one becomes the present run, and from then on more walks are
// taken to accept a candidate.
func (s *shrinker) examine(after int) error {
	if s.survive() || len(s.best) < s.trust.sure+after {
		return nil
	}
	t := &s.trust
	low, high := t.sure-1, len(s.best)
	for at := high - 1; low+1 < high; at = (low + high) / 2 {
		ok, err := s.stands(s.best[at], s.accept, saltExamine)
		if err != nil {
			return err
		}
		if ok {
			low = at
		} else {
			high = at
		}
	}
	if t.after = min(trustMost, 2*t.after); low+1 < len(s.best) {
		t.walks, t.after = min(s.accept, 2*t.walks), 1
	}
	t.sure, s.best = low+1, s.best[:low+1]
	return nil
}

// ends remembers what was decided about the last states of candidates, and about the states before their last
// steps. A decision counts for all states that are equal after healing, so that form of the state is the key.
type ends struct {
	deads   map[any]believed      // the verdicts about the last states of candidates
	escaped map[any][]choose.Step // the states before last steps that can recover, each with a way: steps that led from there to a live state
}

// believed is the verdict about a state, and the number of walks on which it rests.
type believed struct {
	res   *decide.Result // nil means that the state can recover
	walks int
}

// dead reports whether the end of the candidate c is dead. It calls decided to decide that, unless it was
// decided for the same state before, exactly or by at least the given number of walks. If found is true, c is
// the finding's run up to its critical step: then no more walks are ever taken for this state.
func (e *ends) dead(c *candidate, walks int, found bool, decided func() (*decide.Result, error)) (bool, error) {
	at := c.Healed(c.Steps())
	b, known := e.deads[at]
	if !known || b.res != nil && !b.res.Proved && b.walks < walks {
		res, err := decided()
		if errors.Is(err, decide.ErrAlive) {
			res, err = nil, nil
		}
		if err != nil {
			return false, err
		}
		if b = (believed{res, walks}); found {
			b.walks = math.MaxInt
		}
		e.deads[at] = b
	}
	if b.res != nil {
		c.proved = b.res.Proved
	}
	return b.res != nil, nil
}

// critical reports whether the state before the last step of c can recover, so that this step is critical. If
// that is not known, it calls decided. If decided returns true, critical remembers the steps that the function
// way returns. If decided returns false, critical remembers nothing, since further walks may recover.
func (e *ends) critical(c *candidate, decided func() (bool, error), way func() []choose.Step) (bool, error) {
	at := c.Healed(c.Steps() - 1)
	if b := e.deads[at]; b.res != nil && b.res.Proved {
		return false, nil
	}
	if _, known := e.escaped[at]; known {
		return true, nil
	}
	ok, err := decided()
	if ok && err == nil {
		e.escaped[at] = way()
	}
	return ok && err == nil, err
}

// escapes reports whether the state before the last step of c can recover. As long as no candidate has recovered
// from such a state, it takes the usual number of walks. Later it first repeats two known ways: the way by which
// a candidate recovered last, and the way by which the finding's run recovered. If neither leads to a live
// state, it takes a few walks, in the manner of the walk that recovered last: see escapeTimes. If c is the
// finding's run, cut off after its critical step, the result is true in any case, since that step is known to be
// critical.
func (s *shrinker) escapes(c *candidate, d *decide.Finder, salt uint16) (ok bool, err error) {
	cut := s.isCut(c)
	switch {
	case s.walks == 0:
		ok, err = d.LastIsCritical(s.opts.Search.EvidenceWalks, salt, &s.manner)
	default:
		for _, way := range [][]choose.Step{s.way, s.wayFound} {
			if w, err := s.repeats(c, c.Steps()-1, way); w != nil || err != nil {
				s.way = way
				return err == nil, err
			}
		}
		ok, err = d.LastEscapes(s.walks, escapeLonger*len(s.way), salt, s.manner)
	}
	if w, met := d.Alive(c.Steps() - 1); ok && met && err == nil {
		err = s.escaped(c, c.Steps()-1, w)
	}
	return ok || cut, err
}

// escaped records that c can recover from the state before its last step, which it reaches after from steps: the
// walk w recovered from there. escaped remembers the steps of w, to repeat them for other candidates. The first
// w.Number walks failed to recover, so the number of walks for the next candidates grows with w.Number.
func (s *shrinker) escaped(c *candidate, from int, w search.Success) (err error) {
	s.walks = max(s.walks, min(escapesMost, escapeTimes*(w.Number+1)))
	s.way, err = s.wayOf(c, from, w)
	return err
}

// begins calls escaped for the finding's own run, with the walk w that recovered from the state before its
// critical step, which the run reaches after from steps. It also remembers the steps of w as s.wayFound.
func (s *shrinker) begins(from int, w search.Success) error {
	err := s.escaped(&candidate{Case: s.of}, from, w)
	s.wayFound = s.way
	return err
}

// wayOf returns the way of the walk w, which is its steps. The walk began in the state of c after from steps.
func (s *shrinker) wayOf(c *candidate, from int, w search.Success) ([]choose.Step, error) {
	path, err := s.lab.PathOf(c.Case, w)
	if err != nil {
		return nil, err
	}
	return path.Steps[from:], nil
}

// repeats takes the steps of a way, beginning in the state of c after from steps. It returns the walk of these
// steps if it becomes live, otherwise nil.
func (s *shrinker) repeats(c *candidate, from int, way []choose.Step) (*search.Success, error) {
	if len(way) == 0 {
		return nil, nil
	}
	return s.lab.Way(c.Case, from, way)
}

// revived is called when c may have recovered. If a walk of d became live from the end of c, revived records the
// steps of that walk. It then repeats them from the state after the critical step of the finding's run. If that
// run recovers, too, the step is not critical, and revived returns errRefuted.
func (s *shrinker) revived(c *candidate, d *decide.Finder) error {
	w, met := d.Alive(c.Steps())
	if !met {
		return nil
	}
	way, err := s.wayOf(c, c.Steps(), w)
	s.revivals = append(s.revivals, way)
	if err != nil || !s.keep {
		return err
	}
	at := s.want.Critical.Step
	again, err := s.repeats(&candidate{Case: s.of}, at, way)
	if again != nil && err == nil {
		s.Escapes(at, *again)
		err = errRefuted
	}
	return err
}

// revives reports whether c recovers from its end by a way by which another candidate did.
func (s *shrinker) revives(c *candidate) (bool, error) {
	for _, way := range s.revivals {
		if w, err := s.repeats(c, c.Steps(), way); w != nil || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// unrevived leaves out candidates at the end of s.best[low+1:high] that are known not to be dead, since they
// recover from their ends by a way by which another candidate recovered. It returns the index that takes the
// place of high.
func (s *shrinker) unrevived(low, high int) (int, error) {
	for high-1 > low {
		if again, err := s.revives(s.best[high-1]); err != nil || !again {
			return high, err
		}
		high--
	}
	return high, nil
}
