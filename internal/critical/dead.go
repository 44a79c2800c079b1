package critical

import (
	"errors"
	"math"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/search"
)

// trust says by how many walks a candidate is accepted as dead. For most runs that are not dead one walk shows
// it, while taking all walks for each candidate costs much. So candidates are accepted by few walks, and now
// and then the one that was accepted last is examined by all.
type trust struct {
	walks int // the number of walks by which a candidate is accepted
	sure  int // the number of accepted candidates up to the last one that was examined
	after int // how many candidates are accepted until the next one is examined
}

const (
	trustFew  = 2  // the number of walks by which a candidate is accepted at first
	trustMost = 16 // the largest number of candidates that are accepted until one is examined

	escapeTimes  = 2 // how many times as many walks are taken as an earlier recovery from before the last step needed
	escapesMost  = 4 // the largest number of these walks
	escapeLonger = 4 // how many times as many steps they may take as the last walk that recovered
)

// examine examines by all walks the candidate that was accepted last, if at least after candidates were
// accepted since the last time. If it is not dead, a binary search finds an earlier one that is, which becomes
// the present run; from then on candidates are accepted by more walks.
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

// ends remembers what was decided about the states at the ends of candidates.
type ends struct {
	deads   map[any]believed      // about the last states of candidates
	escaped map[any][]choose.Step // the states before last steps that can recover, each with a way that became live from there
}

// believed is the verdict about a state, and the number of walks on which it rests.
type believed struct {
	res   *decide.Result // nil means that the state can recover
	walks int
}

// dead reports whether the end of the candidate c is dead. If that was not decided by at least this many walks
// for the same state before, it calls decided. found says that c is the finding's run up to its critical step,
// about which no more walks will be asked for.
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
// that is not known, it calls decided. If that reports a recovery, critical remembers the steps that way
// returns; if not, it remembers nothing, since further walks may recover.
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

// escapes reports whether the state before the last step of c can recover. While no walk is known that recovered
// from such a state, it takes the usual number of walks, in all manners. Later it first repeats two ways: that by
// which a candidate recovered last, and that by which the finding's run did. Then it takes walks, a few times as
// many as these recoveries needed, but at most escapesMost. For the finding's run, cut off after its critical
// step, the answer is known to be yes.
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

// escaped records the walk w, by which c recovered from the state after from steps, the one before its last
// step: its way, and, as that walk was the first of w.Number+1 to recover, how many walks to take for the next
// candidates.
func (s *shrinker) escaped(c *candidate, from int, w search.Success) (err error) {
	s.walks = max(s.walks, min(escapesMost, escapeTimes*(w.Number+1)))
	s.way, err = s.wayOf(c, from, w)
	return err
}

// begins records the walk w, by which the finding's run recovered from the state before its critical step,
// after from steps.
func (s *shrinker) begins(from int, w search.Success) error {
	err := s.escaped(&candidate{Case: s.of}, from, w)
	s.wayFound = s.way
	return err
}

// wayOf returns the way of the walk w, which began in the state of c after from steps.
func (s *shrinker) wayOf(c *candidate, from int, w search.Success) ([]choose.Step, error) {
	path, err := s.lab.PathOf(c.Case, w)
	if err != nil {
		return nil, err
	}
	return path.Steps[from:], nil
}

// repeats takes the steps of a way from the state of c after from steps. It returns that walk if it becomes
// live, or else nil.
func (s *shrinker) repeats(c *candidate, from int, way []choose.Step) (*search.Success, error) {
	if len(way) == 0 {
		return nil, nil
	}
	return s.lab.Way(c.Case, from, way)
}

// revived records the way by which c recovered from its end, if the walks of d have shown that it does. It
// returns errRefuted if the finding's run recovers by the same way from the state after its critical step.
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

// unrevived returns high, lowered by one for each candidate just before it in s.best that recovers from its end
// by a way by which another one did, but not below low+1.
func (s *shrinker) unrevived(low, high int) (int, error) {
	for high-1 > low {
		if again, err := s.revives(s.best[high-1]); err != nil || !again {
			return high, err
		}
		high--
	}
	return high, nil
}
