package search

import (
	"macemc/choose"
	"macemc/internal/decide"
	"macemc/internal/search/internal/closure"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
)

// SettleMost is the largest number of states that are visited to decide about one run exactly.
const SettleMost = decide.Most

// An exact decision may run runsLines handlers, divided by the number of lines of the state's text, or runsLeast if
// that is more. Most steps are looked up. Where they are not, each runs a handler, which takes longer the larger the
// state is: two decisions about a run of etcd's raft took 8 s each, and decided nothing.
const (
	runsLines = 5_000_000
	runsLeast = 10_000
)

// settling is a query: which states of a run can recover? It decides exactly, by visiting all states
// that can follow them after the environment has healed. These are usually few. It decides nothing if
// their number is larger than most, if answers are sampled, if nodes cannot be copied, or if the
// service fails on the way; walks find that failure.
type settling struct {
	by      *hand
	path    *choose.Path
	climate run.Climate
	most    int
}

// settled is the answer to a query of settling. last is the number of the last state of the run that
// has the property which the query is about: with the method recovers, that the run can recover from
// it; with reaches, that the run can reach a live state; with survives, that the run can go on without
// a violation.
type settled struct {
	last      int
	decided   bool
	unassumed bool   // a state was reached that does not count for liveness
	states    int    // number of states visited
	lost      []bool // by state of the run: from it, none of this is possible
}

// recovers returns the last state from which the run can recover, or from-1 if there is none. It
// considers only states whose number is at least from. States outside System.Within and
// System.Assume are visited, too, as they are by walks. But if the end of the run can reach a state
// outside Assume, recovers returns the end, since such a run is not called dead. An earlier state
// can recover only if it reaches a live one.
func (q settling) recovers(from int) (settled, error) {
	s, err := q.reaches(from)
	end := len(q.path.Steps)
	switch {
	case err != nil || !s.decided || !s.unassumed || s.last == end:
		return s, err
	case from == end:
		return settled{last: end, decided: true, unassumed: true, states: s.states}, nil
	}
	after, err := q.recovers(end)
	states := s.states + after.states
	if err != nil || !after.decided || after.last == end {
		return settled{last: after.last, decided: after.decided, unassumed: after.unassumed, states: states}, err
	}
	s.states = states
	return s, nil
}

// reaches returns the last state that can reach a live one, or from-1 if there is none. It
// considers only states whose number is at least from.
func (q settling) reaches(from int) (settled, error) {
	return q.exhaust(from, true, (*closure.Closure).Resolve, (*closure.Closure).Dead)
}

// survives returns the last state after which the run can continue without a violation of a property, for ever or
// until it rests, or from-1 if there is none. It considers only states whose number is at least from. It does not
// decide about other failures.
func (q settling) survives(from int) (settled, error) {
	return q.exhaust(from, false, (*closure.Closure).Endure, (*closure.Closure).Fated)
}

// exhaust decides about the states of the run whose numbers are at least from. It collects all states
// that can follow them, in a closure, and calls look to examine the closure. Then it asks lost about
// each state of the run, and returns the last state for which lost is false. If memo is true, steps
// are looked up in a memo. The counts of exhaust are not added to the search's, since they concern
// one run only.
func (q settling) exhaust(from int, memo bool, look func(*closure.Closure, *explore.Explorer) error, lost func(*closure.Closure, *explore.Explorer, uint32) bool) (none settled, err error) {
	h := q.by
	defer h.counted()
	x, err := h.owner.NewExplorer(q.climate, nil)
	if err != nil {
		return none, err
	}
	defer x.Close()
	if memo {
		x.ByMemo()
	}
	g, err := closure.New(&h.owner, x)
	if err != nil {
		return none, err
	}
	defer g.Close()
	g.Most = q.most
	var follow []uint32
	bad, err := h.owner.Guarded(x.Taker, func() (err error) {
		if follow, err = x.Follow(q.path, from); err != nil {
			return err
		}
		g.Runs = max(runsLeast, runsLines/max(1, len(x.World.Text.Lines())))
		h.Explores(g.Taker) // the states of the closure have no origins, from which a run could be reconstructed
		return look(g, x)
	})
	none = settled{states: g.Kept()}
	if err == explore.ErrHalt || err == explore.ErrFull || bad != nil || world.Unsupported(err) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	out := settled{last: from - 1, decided: true, unassumed: g.Unassumed, states: g.Kept(), lost: make([]bool, len(follow))}
	for at, state := range follow {
		if out.lost[at] = lost(g, x, state); !out.lost[at] {
			out.last = from + at
		}
	}
	return out, nil
}
