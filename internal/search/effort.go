package search

import (
	"cmp"
	"maps"
	"slices"

	"macemc/internal/canon"
	"macemc/internal/decide"
)

// The effort spent on explaining findings is measured in steps of runs and in visited states, and not in
// time. So the results for a seed do not depend on the machine.
const (
	explainLeast = 1_500_000 // one or two seconds of one core: even after a short search, one verdict of dead may take a million
	explainMost  = 4_000_000 // about ten seconds: a state takes about 1 µs, and a step 5
	judgeMost    = 6_000_000 // for the suspects of a search; larger, since a verdict is worth more than its explanation
)

// explainEffort returns the number of steps and states that may be spent on two things: deciding whether
// suspects (walks that did not become live in time) are dead, and locating critical steps. The default is the
// number that the search itself took, but at least explainLeast and at most explainMost.
func (o Options) explainEffort(searched int) int {
	return cmp.Or(o.ExplainEffort, min(explainMost, max(explainLeast, searched)))
}

// ExplainEffort returns the number of steps and states that locating the critical steps of
// the findings may take. The effort of deciding about suspects is a part of it.
func (r *Result) ExplainEffort() int { return r.Options.explainEffort(r.Stats.Effort()) }

// Ended returns the finding with a note that its analysis ended after a number of steps and states, before
// everything was tried.
func (f *Finding) Ended(after int) *Finding {
	noted := *f
	noted.EndedAt = after
	return &noted
}

// suspicions stores what was decided about the last states of suspected runs, by the healed forms of these
// states (the states after all faults have ended). Whether a state can recover depends only on its healed
// form, so no state is decided twice.
type suspicions struct {
	alive map[canon.Hash]bool
	short map[canon.Hash]int // by state: the largest effort that did not suffice to decide
	over  int                // number of suspects for which the effort did not suffice
}

// known reports whether the state with this identity was decided to be able to recover.
func (s *suspicions) known(at canon.Hash) bool { return s.alive[at] }

// all returns the identities of the states that can recover.
func (s *suspicions) all() []canon.Hash { return slices.Collect(maps.Keys(s.alive)) }

// hopeless reports whether the remaining effort, left, is too small to decide about a state. If an attempt
// did not suffice, the next one needs at least twice its effort.
func (s *suspicions) hopeless(at canon.Hash, left int) bool {
	spent, tried := s.short[at]
	return left <= 0 || tried && left < 2*spent
}

// recovers records that a state can recover.
func (s *suspicions) recovers(at canon.Hash) {
	if s.alive == nil {
		s.alive = map[canon.Hash]bool{}
	}
	s.alive[at] = true
}

// tooDear records that this effort did not suffice to decide about a state.
func (s *suspicions) tooDear(at canon.Hash, effort int) {
	if s.short == nil {
		s.short = map[canon.Hash]int{}
	}
	s.short[at] = max(effort, s.short[at])
	s.over++
}

// left returns the number of steps and states that may still be spent on deciding whether
// suspected walks are dead.
func (r *runner) left() int {
	now := r.now()
	return cmp.Or(r.opts.ExplainEffort, judgeMost) - now.Judging - now.Settled
}

// open returns the number of suspected walks about which nothing was decided.
func (r *runner) open() int { return len(r.undecided) + r.suspicions.over }

// within returns the options for deciding about a run, so that this takes at most the given
// number of steps and states.
func (l *Lab) within(effort int) decide.Options {
	return decide.Options{Effort: l.Effort() + max(1, effort)}
}

// undecidedMost is the largest number of undecided runs that a result lists.
const undecidedMost = 10
