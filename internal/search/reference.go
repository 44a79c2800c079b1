package search

import (
	"math"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
)

// reference is the strategy of EngineReference. It enumerates every run to a bound, depth first,
// each from its start. It cuts a run at a state that was reached before at the same or a smaller
// depth. It remembers nothing but the identities of states, so every other engine is checked
// against it.
type reference struct {
	*choose.Odometer
	run.Climate
	dead    bool      // the current run has come to a state that is not live and will never change, faults apart
	begin   *run.Fork // where the runs begin; nil means at the start of the system
	base    int       // number of steps that lead to the beginning
	bound   int
	known   map[canon.Hash]mark
	path    []canon.Hash                // the states of the current run
	first   []bool                      // by depth: the state is expanded for the first time
	beyond  int                         // states at the bound that were not expanded
	left    bool                        // a finding lowered the bound, so states below it were left
	outside bool                        // a state outside System.Within was not expanded
	edge    bool                        // the current run has reached a state at the bound for the first time
	moved   bool                        // repeated answers led to another state than before: the service is not deterministic
	sampled bool                        // other processes did not enumerate all answers
	branch  *branch                     // the branch of the enumeration that this process takes, or nil if it takes all
	lowest  int                         // for a branch: the bound after failures have lowered it
	leftOut int                         // states that were not expanded, since they ended other processes
	starts  int                         // number of states in which runs of other processes begin
	met     map[canon.Hash]subtreeState // states that other processes visited
	all     bool                        // expand known states, too, so that every path is taken

	states, transitions, duplicates, executed int // see Stats
}

// mark is what a reference stores about a state: the least depth at which the state was reached,
// and whether it was expanded. A run that reaches the state again at a smaller depth is not cut
// there; otherwise states within the bound would be lost.
type mark struct {
	depth    int
	expanded bool
}

func newReference(r *hand, bound int) *reference {
	c := run.Climate{Faults: r.Stormy(), Heal: -1}
	return &reference{
		Odometer: choose.NewOdometer(), Climate: c, begin: r.prefix.beginning(c), base: r.prefix.base(), bound: bound, known: map[canon.Hash]mark{},
		all: r.opts.Visited == VisitedOff, lowest: math.MaxInt,
	}
}

// counted returns the counts of the round so far. They are zero if s is nil.
func (s *reference) counted() Stats {
	if s == nil {
		return Stats{}
	}
	return Stats{States: s.states, Transitions: s.transitions, Duplicates: s.duplicates, Executed: s.executed}
}

// lower lowers the bound of the later runs of this round, since a failure was found: only shorter runs
// that fail are of interest then.
func (s *reference) lower(bound int) { s.bound = min(s.bound, bound) }

func (s *reference) Fork() *run.Fork { return s.begin }

func (s *reference) Visit(w *world.World, depth int) bool {
	depth -= s.base
	h := w.State.Hash()
	s.dead, s.edge = false, false
	if !s.New() {
		s.moved = s.moved || s.path[depth] != h
		left := depth >= s.bound
		s.left = s.left || left
		return !s.moved && !left && !s.branch.leaves(h, depth, true)
	}
	s.path, s.first = append(s.path[:depth], h), append(s.first[:depth], false)
	if depth > 0 {
		s.executed++
		if s.first[depth-1] {
			s.transitions++
			s.branch.step(depth - 1)
		}
	}
	m, there := s.mark(h)
	if s.all {
		there = false
	}
	if there && m.depth <= s.at(depth) {
		s.duplicates++
		return false
	}
	if s.defers(h, depth) {
		return false
	}
	if !there {
		w.Judge.CoverState(s.at(depth))
		s.states++
	}
	if w.Judge.CanBeLive() && w.Judge.Assumed() && !w.Judge.Live() && w.Events.Settled() {
		s.dead = true
		s.left = s.left || w.Events.Count() > 0 // rare events
		return false
	}
	inside := w.Judge.Within()
	expand := depth < s.bound && inside
	s.outside = s.outside || !inside
	switch {
	case !there && inside && !expand:
		s.beyond++
		s.edge = true
	case expand && there && !m.expanded: // it was reached at the bound before
		s.beyond--
	}
	s.first[depth] = expand && (s.all || !m.expanded)
	now := mark{s.at(depth), m.expanded || expand}
	s.branch.notes(h, now, depth, inside && !now.expanded)
	if !s.all {
		s.known[h] = now
	}
	return expand && !s.branch.leaves(h, depth, false)
}

// at converts a depth in the present run to the depth that is stored in a mark. If this reference
// enumerates a branch, which is a part that another process has given to it, stored depths count
// from the start of the system. Otherwise they count from the end of the prefix.
func (s *reference) at(depth int) int {
	if s.branch != nil {
		return s.base + depth
	}
	return depth
}

// open reports whether some states were not visited because they are deeper than the bound.
func (s *reference) open() bool { return s.beyond > 0 || s.left }

// covered returns how thoroughly a completed round has visited the states of the system.
func (s *reference) covered() State {
	switch {
	case s.leftOut > 0:
		return StateIncomplete
	case s.sampled || s.Sampled():
		return StateSampled
	case s.open():
		return StateBounded
	case s.outside:
		return StateExhaustedWithin
	default:
		return StateExhausted
	}
}
