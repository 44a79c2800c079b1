package run

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/world"
)

// A Fork is a state in the middle of a run, from which other runs branch off. If the method
// Strategy.Fork returns one, the strategy's runs begin there. The loop loads the state into its
// world; if nodes cannot be copied, or the run is taken in lockstep, it repeats the run that leads
// to the state. In both cases the strategy first visits the fork's state, depths are counted from
// the start of the whole run, and the answers of the whole run are the prefix followed by the
// strategy's answers. The climate of a strategy's run must be that of the run which led to the
// state, except that it may heal later, or at once: Climate{Faults: true, Heal: k.Steps} makes
// healing the first step.
type Fork struct {
	Prefix []choose.Pick // the answers that lead there from the start
	Told   *Answers      // the same answers, as an explorer records them; if it is set, Prefix is empty
	Steps  int           // the number of steps to the state
	Bank   *world.Bank   // the bank that stores the parts numbered in At; nil if the state could not be saved
	At     world.Vector  // the saved state
}

// whole is embedded in strategies whose runs begin at the start of the system. Its method Fork
// returns nil.
type whole struct{}

func (whole) Fork() *Fork { return nil }

// ForkAt repeats the first steps of the run of a path, and returns a fork at the state that they
// lead to.
func (r *Runs) ForkAt(path *choose.Path, c Climate, steps int) (*Fork, error) {
	const roomy = 10_000
	k := &Fork{Prefix: Picks(path.Prefix(steps)), Steps: steps}
	if r.Bank == nil || r.Bank.Len() > roomy {
		r.Bank = r.World.State.NewBank()
	}
	m := &saving{Again: Again{Source: choose.NewRaw(k.Prefix), Climate: c, Steps: steps}, bank: r.Bank}
	end, failure, w := r.Run(m, false)
	switch {
	case end == EndLeft && m.at != nil:
		k.Bank, k.At = r.Bank, m.at
	case end == EndLeft || world.Unsupported(w.Run.Err()): // nodes cannot be copied: the fork has only the answers
	case failure != nil:
		return nil, fmt.Errorf("the first %d steps of a run ended in a %s when they were taken again (%s)%s", steps, failure.Verdict, failure.Message, Hint)
	case w.Run.Err() != nil:
		return nil, fmt.Errorf("the first %d steps of a run could not be taken again: %w%s", steps, w.Run.Err(), Hint)
	default:
		return nil, fmt.Errorf("the first %d steps of a run ended after %d steps, where no event is possible, when they were repeated%s", steps, w.Run.Steps(), Hint)
	}
	return k, nil
}

// Share returns a copy of the fork that another goroutine can use.
func (k *Fork) Share() *Fork {
	if k == nil || k.Bank == nil {
		return k
	}
	other := *k
	other.Bank = k.Bank.Share()
	return &other
}

// saving is a strategy that repeats a run up to a depth, and saves the state reached there.
type saving struct {
	Again
	bank *world.Bank
	at   world.Vector // the saved state, or nil if it could not be saved
}

func (s *saving) Visit(w *world.World, depth int) bool {
	if depth < s.Steps {
		return true
	}
	if w.State.Bound() == "" {
		at := make(world.Vector, s.bank.Places())
		w.State.Save(s.bank, at)
		s.at = at
	}
	return false
}

// Then returns a source that first gives the answers that lead to the fork, and then those of src.
func (k *Fork) Then(src choose.Source) choose.Source {
	if k.Told != nil {
		return &led{lead: k.Told.Again(), left: k.Told.Answers(), Source: src}
	}
	return &led{lead: choose.NewRaw(k.Prefix), left: len(k.Prefix), Source: src}
}

// led is a source that first gives the answers of one source, lead, and then those of another.
type led struct {
	lead choose.Source
	left int // number of answers still to be taken from lead
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

// Err returns the error of the source that could not answer.
func (l *led) Err() error {
	if l.left > 0 {
		return l.lead.Err()
	}
	return l.Source.Err()
}
