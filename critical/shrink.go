package critical

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"

	"macemc/choose"
	"macemc/search"
	"macemc/sim"
)

// A step is taken out if so many walks accept what is left; what comes out in
// the end must convince ten times as many, fresh ones.
const (
	acceptShare  = 6 // of the walks that a verdict rests on
	confirmTimes = 10

	exhaustSmall = 5_000 // healed states that are visited to decide about one candidate
)

// triesMost is how often a candidate is run where the failure comes by chance.
const triesMost = 8

// Shrink makes the run of a finding shorter: what follows the critical step is
// cut off, and then whatever can be taken out so that what is left still ends
// in the same verdict, by the same critical event unless Options.Any. The
// finding that it returns is never longer. Stopped says that there was no time
// to try everything. The critical step must have been isolated before, or it is
// not kept.
func Shrink(sys *sim.System, f *search.Finding, opts Options) (*Result, error) {
	out := &Result{Finding: f}
	if !shrinkable(f) {
		return out, nil
	}
	p, err := open(sys, f, opts)
	if err != nil {
		return nil, err
	}
	defer p.close()
	s := newShrinker(p, f)
	s.keep = s.keep && !opts.Any
	err = s.shrink()
	if errors.Is(err, errEnough) || errors.Is(err, search.ErrStopped) {
		out.Stopped, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	short, err := s.sure()
	if errors.Is(err, search.ErrStopped) {
		out.Stopped, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	if short != nil && len(short.Path.Steps) < len(f.Path.Steps) {
		out.Finding = short
	}
	out.Others = p.others
	return out, nil
}

// shrinkPart is the part of the effort after which no more steps are taken out.
const shrinkPart = 2.0 / 3

// errEnough ends the shrinking with what it has come to.
var errEnough = errors.New("enough")

// shrinkable reports whether there is anything to shrink: not where every run
// is dead, and not where the run cannot be taken to its end again.
func shrinkable(f *search.Finding) bool {
	switch f.Verdict {
	case sim.VerdictDead:
		return f.Critical == nil || f.Critical.Step > 0
	case sim.VerdictKilled:
		return false
	case sim.VerdictDivergence:
		return f.Trace != nil
	default:
		return f.Verdict != sim.VerdictNone
	}
}

// shrinker takes steps out of a run.
type shrinker struct {
	*finder
	want    *search.Finding
	keep    bool // the last step stays the last, and critical
	accept  int  // walks
	tries   int
	careful bool
	best    []*candidate // accepted, each shorter than the one before
	round   uint16
	tried   map[uint64]bool // runs, by what happens in them
}

func newShrinker(p *finder, f *search.Finding) *shrinker {
	s := &shrinker{
		finder: p, want: f, keep: !p.survive && f.Critical != nil,
		accept: max(1, p.opts.Search.Walks/acceptShare),
		tries:  1,
		tried:  map[uint64]bool{},
	}
	if f.Verdict == sim.VerdictNondeterminism || f.Verdict == sim.VerdictGoroutine {
		s.tries = triesMost
	}
	s.careful = f.Verdict != sim.VerdictDead && f.Verdict != sim.VerdictSafety && f.Verdict != sim.VerdictPanic && f.Verdict != sim.VerdictDivergence
	return s
}

// candidate is a run that may stand for the finding.
type candidate struct {
	*search.Case
	proved bool // by exhausting
}

// shrink tries to take out: all at once what does not matter after the critical
// step, then the faults, the nodes, and stretches of steps, shorter and shorter,
// until none is left that could go, and then some of the steps that are alike.
func (s *shrinker) shrink() error {
	steps := s.of.Path.Steps
	if c := s.want.Critical; s.want.Verdict == sim.VerdictDead && c != nil {
		steps = steps[:c.Step]
	}
	if ok, err := s.try(steps); err != nil || !ok {
		return err
	}
	for {
		before := s.length()
		for _, pass := range []func() error{s.faults, s.nodes, s.stretches} {
			if err := pass(); err != nil {
				return err
			}
		}
		if s.length() < before {
			continue
		}
		if err := s.alike(); err != nil || s.length() == before {
			return err
		}
	}
}

func (s *shrinker) now() *candidate { return s.best[len(s.best)-1] }

func (s *shrinker) length() int { return s.now().Steps() }

// try takes a run of some steps, as far as they are possible, and accepts it if
// it stands for the finding.
func (s *shrinker) try(steps []choose.Step) (bool, error) {
	if s.stopped(shrinkPart) || s.opts.Enough != nil && s.opts.Enough() {
		return false, errEnough
	}
	for range s.tries {
		c, err := s.take(steps)
		if err != nil {
			return false, err
		}
		if c == nil || len(s.best) > 0 && c.Steps() >= s.length() || s.known(c) {
			continue
		}
		ok, err := s.stands(c, s.accept, saltShrink)
		if err != nil {
			return false, err
		}
		if ok {
			s.best = append(s.best, c)
			s.tell(Progress{Doing: DoingShrink, High: c.Steps(), Of: s.of.Steps()})
			return true, nil
		}
	}
	return false, nil
}

// known reports whether the run was tried before: what is taken out may be what
// is not possible any more without the rest. It notes it.
func (s *shrinker) known(c *candidate) bool {
	if s.tries > 1 { // it may come to something else
		return false
	}
	h := fnv.New64a()
	for _, step := range c.Path.Steps {
		io.WriteString(h, step.Event.What+"\n")
		for _, coin := range step.Coins {
			io.WriteString(h, coin.What+"\t")
		}
	}
	sum := h.Sum64()
	known := s.tried[sum]
	s.tried[sum] = true
	return known
}

// take takes a run of some steps; nil: it cannot stand for the finding.
func (s *shrinker) take(steps []choose.Step) (*candidate, error) {
	of, taken, err := s.lab.TakeSome(s.of.Path.Start, steps, s.careful)
	if err != nil || of == nil {
		return nil, err
	}
	if s.survive {
		if f := of.Failure; f == nil || f.Verdict != s.want.Verdict || f.Property != s.want.Property {
			return nil, nil
		}
		return &candidate{Case: of}, nil
	}
	n := of.Steps()
	switch {
	case !of.MayBeDead():
		return nil, nil
	case s.keep && (n == 0 || taken[n-1] != len(steps)-1):
		return nil, nil
	}
	return &candidate{Case: of}, nil
}

// stands reports whether a run is dead, by so many walks or by exhausting what
// is left, and its last step critical if that is asked for.
func (s *shrinker) stands(c *candidate, walks int, salt uint16) (bool, error) {
	if s.survive {
		return true, nil
	}
	n := c.Steps()
	dead, proved, err := s.dead(c.Case, n, walks, salt)
	if err != nil || !dead {
		return false, err
	}
	c.proved = proved
	if !s.keep {
		return true, nil
	}
	if c.Live[n-1] {
		return true, nil
	}
	for _, hold := range []bool{false, true} { // one that escapes is enough, and may be seldom
		w, err := s.walkFrom(c.Case, n-1, max(walks, s.opts.Search.Walks), salt, hold)
		if err != nil || len(w.Success) > 0 {
			return err == nil, err
		}
	}
	if s.opts.Exhaust < 0 {
		return false, nil
	}
	last, decided, err := s.lab.Settle(c.Case, n-1, exhaustSmall)
	return decided && last == n-1, err
}

// dead reports whether the state of a run is dead, first by a walk, since most
// that are not show it at once.
func (s *shrinker) dead(of *search.Case, at, walks int, salt uint16) (dead, proved bool, err error) {
	w, err := s.walkFrom(of, at, 1, salt, false)
	if err != nil || len(w.Success) > 0 {
		return false, false, err
	}
	if s.opts.Exhaust > 0 {
		last, decided, err := s.lab.Settle(of, at, exhaustSmall)
		if err != nil || decided {
			return last < at, decided, err
		}
	}
	for _, hold := range []bool{false, true} {
		if w, err = s.walkFrom(of, at, walks, salt, hold); err != nil || len(w.Success) > 0 {
			return false, false, err
		}
	}
	return true, false, nil
}

func (s *shrinker) walkFrom(of *search.Case, at, walks int, salt uint16, hold bool) (*search.Walked, error) {
	w, err := s.lab.Walk(of, search.Walks{From: at, Count: walks, Steps: s.walkLen, Salt: salt, Hold: hold, Exempt: at == of.Steps()})
	if err != nil {
		return nil, err
	}
	s.walks += w.Taken
	return w, s.note(of, at, w.Failed)
}

// sure confirms the shortest run that was accepted, by fresh walks and by plain
// re-execution. One that does not stand goes back to one before it: a binary
// search finds it, since what was taken out too much stays out. Nil: none
// stands.
func (s *shrinker) sure() (*search.Finding, error) {
	low, high := -1, len(s.best) // best[low] stands; best[high] does not
	var found *search.Finding
	for at := len(s.best) - 1; low+1 < high; at = (low + high) / 2 {
		f, err := s.confirmed(s.best[at])
		if err != nil {
			return nil, err
		}
		if f != nil {
			low, found = at, f
		} else {
			high = at
		}
	}
	return found, nil
}

// confirmed makes a finding of a run that stands; nil: it does not.
func (s *shrinker) confirmed(c *candidate) (*search.Finding, error) {
	s.tell(Progress{Doing: DoingConfirm, High: c.Steps(), Of: s.of.Steps()})
	walks := confirmTimes * s.accept
	var evidence *search.Evidence
	if !s.survive && !c.proved {
		if s.opts.Exhaust > 0 { // what a narrow escape leads out of, walks do not show
			last, decided, err := s.lab.Settle(c.Case, c.Steps(), s.opts.Exhaust)
			if err != nil || decided && last >= c.Steps() {
				return nil, err
			}
			c.proved = decided
		}
	}
	if !s.survive && !c.proved {
		s.round++
		ok, err := s.stands(c, walks, saltSure+s.round)
		if err != nil || !ok {
			return nil, err
		}
		if !c.proved {
			evidence = &search.Evidence{
				Walks: walks, WalkSteps: s.walkLen, Escape95: 1 - math.Pow(0.05, 1/float64(walks)), From: c.Steps(), Seed: s.opts.Search.Seed,
			}
		}
	}
	f, err := s.lab.ConfirmCase(c.Case)
	if err != nil {
		return nil, err
	}
	if f.Verdict != s.want.Verdict || s.survive && f.Property != s.want.Property {
		return nil, nil
	}
	f.Proved, f.Evidence = c.proved, evidence
	if s.keep {
		n := c.Steps()
		f.Critical = &search.Critical{Step: n, Event: f.Path.Steps[n-1].Event.What}
		if was := s.want.Critical.Event; f.Critical.Event != was {
			return nil, fmt.Errorf("macemc bug: critical: shrinking made %q of the critical event %q", f.Critical.Event, was)
		}
		f.Path.Set("critical", f.Critical.Header())
	}
	return f, nil
}
