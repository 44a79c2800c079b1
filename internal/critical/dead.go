package critical

import (
	"errors"
	"math"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/search"
)

// trust is the number of walks by which runs are accepted as dead. For most runs that are not dead,
// one walk shows it, while taking all walks for each run costs much. So runs are accepted by few
// walks, and now and then the last accepted run is examined by all.
type trust struct {
	walks int // the number of walks that accept a run
	sure  int // the number of accepted runs up to the last one that was examined
	after int // the number of runs that are accepted until the next one is examined
}

const (
	trustFew  = 2  // the walks that accept a run at first
	trustMost = 16 // the largest number of runs that are accepted until one is examined

	escapeTimes  = 2 // how many times the walks are taken that were needed before to recover from before the last step
	escapesMost  = 4 // the most of these walks
	escapeLonger = 4 // how many times as long they are as the last one that recovered
)

// examine examines the last accepted run, if at least that many were accepted since the last time. If that run is not
// dead, a binary search finds an earlier run, and from there runs are accepted by more walks.
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

// ends remembers the states at the ends of runs that were examined.
type ends struct {
	deads   map[any]believed
	escaped map[any][]choose.Step // the states before the last steps that can recover, with a way in which one did
}

// believed is the verdict about a state, and the number of walks on which it rests.
type believed struct {
	res   *decide.Result // nil means that the state can recover
	walks int
}

// dead reports whether the end of a run is dead. It calls decided if that is not known by at least that many walks. If the
// run was found, no more walks are needed.
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

// critical reports whether the state before the last step of a run can recover. If that is not
// known, it calls decided; if decided reports a recovery, it keeps the steps that way returns. It
// does not remember that no walk recovered, since further walks may.
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

// escapes reports whether the state before the last step of a run can recover. First it repeats the steps by
// which the last examined run recovered, and the steps by which the run of the finding did. Then it takes a
// few times as many walks as were needed for these. The run up to the critical step needs no decision.
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

// escaped records the steps by which a run recovered from the state before its last step, and the
// number of walks that were needed.
func (s *shrinker) escaped(c *candidate, from int, w search.Success) (err error) {
	s.walks = max(s.walks, min(escapesMost, escapeTimes*(w.Number+1)))
	s.way, err = s.wayOf(c, from, w)
	return err
}

// begins records the steps by which the run of the finding recovered from the state before its critical step.
func (s *shrinker) begins(from int, w search.Success) error {
	err := s.escaped(&candidate{Case: s.of}, from, w)
	s.wayFound = s.way
	return err
}

// wayOf returns the steps of a walk from a state of a run.
func (s *shrinker) wayOf(c *candidate, from int, w search.Success) ([]choose.Step, error) {
	path, err := s.lab.PathOf(c.Case, w)
	if err != nil {
		return nil, err
	}
	return path.Steps[from:], nil
}

// repeats returns the walk from a state of a run that repeats a way, or nil if it does not recover.
func (s *shrinker) repeats(c *candidate, from int, way []choose.Step) (*search.Success, error) {
	if len(way) == 0 {
		return nil, nil
	}
	return s.lab.Way(c.Case, from, way)
}

// revived records the steps by which a run recovered from its end, if a walk showed that it did. It returns
// errRefuted if the run of the finding recovers by the same steps from the state after its critical step.
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

// revives reports whether a run recovers from its end by steps by which another run recovered.
func (s *shrinker) revives(c *candidate) (bool, error) {
	for _, way := range s.revivals {
		if w, err := s.repeats(c, c.Steps(), way); w != nil || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// unrevived lowers high, by one for each accepted run before it that recovers from its end by steps
// by which another run recovered, but not below low+1. It returns the new high.
func (s *shrinker) unrevived(low, high int) (int, error) {
	for high-1 > low {
		if again, err := s.revives(s.best[high-1]); err != nil || !again {
			return high, err
		}
		high--
	}
	return high, nil
}
