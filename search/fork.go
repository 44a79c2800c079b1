package search

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/world"
)

// A fork is a state in the middle of a run, from which other runs branch off. A
// strategy whose method fork returns one begins there: the loop loads the state
// into its world, or, where nodes cannot be copied and where the run is taken
// in lockstep, takes the run that leads there again. Either way the strategy is
// first asked to visit the state itself, depths count from the start of the
// whole run, and the answers of the whole run are prefix followed by what the
// strategy answered. The climate must be that of the run which led there, save
// that it may heal later, or at once: climate{faults: true, heal: k.steps}
// makes healing the first step.
type fork struct {
	prefix []choose.Pick // the answers that lead there from the start
	told   *told         // the same, where an explorer has them; then prefix is empty
	steps  int           // and how many steps they are
	bank   *world.Bank   // what at is told by; nil: the state could not be saved
	at     world.Vector
}

// whole is a run from the start.
type whole struct{}

func (whole) fork() *fork { return nil }

// forkAt takes the first steps of a run and saves the state that they lead to.
func (r *runner) forkAt(path *choose.Path, c climate, steps int) (*fork, error) {
	k := &fork{prefix: picks(path.Prefix(steps)), steps: steps}
	if r.always { // every run is taken in lockstep
		return k, nil
	}
	if r.bank == nil {
		r.bank = r.world.NewBank()
	}
	m := &saving{again: again{Source: choose.NewRaw(k.prefix), climate: c, steps: steps}, bank: r.bank}
	end, failure, w := r.run(m, false)
	switch {
	case end == endLeft && m.at != nil:
		k.bank, k.at = r.bank, m.at
	case end == endLeft || world.Unsupported(w.Err()): // nodes that cannot be copied
	case failure != nil:
		return nil, fmt.Errorf("the first %d steps of a run ended in a %s when they were taken again (%s)%s", steps, failure.Verdict, failure.Message, hint)
	case w.Err() != nil:
		return nil, fmt.Errorf("the first %d steps of a run could not be taken again: %w%s", steps, w.Err(), hint)
	default:
		return nil, fmt.Errorf("the first %d steps of a run came to rest after %d when they were taken again%s", steps, w.Steps(), hint)
	}
	return k, nil
}

// share makes a fork to the same state, for another goroutine.
func (k *fork) share() *fork {
	if k == nil || k.bank == nil {
		return k
	}
	other := *k
	other.bank = k.bank.Share()
	return &other
}

// saving repeats a run to a depth, and saves the state there.
type saving struct {
	again
	bank *world.Bank
	at   world.Vector // nil: it could not be saved
}

func (s *saving) visit(w *world.World, depth int) bool {
	if depth < s.steps {
		return true
	}
	if w.Bound() == "" {
		at := make(world.Vector, s.bank.Places())
		w.Save(s.bank, at)
		s.at = at
	}
	return false
}

// then is the answers that lead to the fork, followed by those of a source.
func (k *fork) then(src choose.Source) choose.Source {
	if k.told != nil {
		return &led{lead: k.told.again(), left: k.told.answers(), Source: src}
	}
	return &led{lead: choose.NewRaw(k.prefix), left: len(k.prefix), Source: src}
}

// led takes so many answers of a prefix first.
type led struct {
	lead choose.Source
	left int
	choose.Source
}

func (l *led) Answer(q *choose.Question) int {
	if l.left == 0 {
		return l.Source.Answer(q)
	}
	k := l.lead.Answer(q)
	if k >= 0 {
		l.left--
	}
	return k
}

// Err is that of the source which refused.
func (l *led) Err() error {
	if l.left > 0 {
		return l.lead.Err()
	}
	return l.Source.Err()
}
