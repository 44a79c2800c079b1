package search

import (
	"cmp"
	"runtime"
	"sync/atomic"

	"macemc/internal/search/internal/walk"
	"macemc/internal/search/internal/work"
	"macemc/sim"
)

const (
	scoutMore  = 1 << 10 // walks that are added if Least asks for more
	scoutAsks  = 8       // a scout asks at the beginning of one walk in scoutAsks whether it is still wanted, and reports progress
	scoutWorth = 16      // the next lot is taken by one hand if the last one ended before this many walks
)

// scouts take the walks of a lot together, to find the first that failed or is suspected. The
// search's own hand then takes that walk again; the walks before it found nothing. A walk depends
// only on its number, and whether it is audited depends on its lot, so findings and counts are the
// same for any number of workers.
type scouts struct {
	pool   work.Pool[*scout] // has no hands if the search takes the walks by itself
	called bool
	steps  atomic.Int64 // the steps of this lot so far
	covers tallies
}

// scout is a member of scouts: a hand with its walk and strategy.
type scout struct {
	*hand
	*walk.Walk
	how   walk.Strategy
	known *findings // those of the search, which do not change in a lot
}

// call makes the scouts, if the search has several workers.
func (s *scouts) call(r *runner) (err error) {
	s.called = true
	if r.opts.Afar != nil {
		return nil
	}
	hands, err := newHands(r.Sys, r.opts, r.hand)
	if err != nil || len(hands) == 1 {
		return err
	}
	for _, h := range hands {
		s.pool.Hands = append(s.pool.Hands, &scout{hand: h, known: &r.findings})
	}
	s.pool.Here = func(one *scout) { one.here() }
	s.pool.Gone = func(k int, _ work.Unit) (work.Outcome, bool) {
		_, another := s.pool.Hands[k].gone()
		s.pool.Hands[k] = &scout{hand: another, known: &r.findings}
		return work.Outcome{Ends: true}, true
	}
	return nil
}

// several reports whether the search has scouts.
func (s *scouts) several() bool { return len(s.pool.Hands) > 0 }

// newHands makes hands for all workers, with the prefix and the limits of like.
func newHands(sys *sim.System, opts Options, like *hand) (hands []*hand, err error) {
	for range cmp.Or(opts.Workers, runtime.GOMAXPROCS(0)) {
		h, err := newHand(sys, opts, nil, like)
		if err != nil {
			return nil, err
		}
		hands, like = append(hands, h), cmp.Or(like, h)
	}
	return hands, nil
}

// begins prepares a scout for a lot: its walks have the seed, the strategy and the corpus of search r.
func (one *scout) begins(r *runner) {
	one.Walk, one.how = walk.New(r.opts.Seed), one.strategy(r.corpus)
	one.Walk.Corpus = r.corpus
	one.coverage.Clear()
}

// ahead makes the scouts take the walks of lot l. It returns the number of walks before the first
// one that failed or is suspected.
func (s *scouts) ahead(r *runner, length walk.Length, l walk.Lot) (nothing int, err error) {
	if r.opts.Afar != nil {
		return r.afar(length, l)
	}
	var hands []*hand
	for _, one := range s.pool.Hands {
		one.begins(r)
		hands = append(hands, one.hand)
	}
	s.steps.Store(0)
	s.covers.begin(r.coverage)
	r.collect()
	defer r.monitor.with(hands)()
	first := s.pool.Hands[0]
	came, err := s.pool.Do(l.To-l.From, 1, func(one *scout, u work.Unit, wanted func() bool) (came work.Outcome, err error) {
		j, i := u.From, l.From+u.From
		if one.Walk == nil || j%scoutAsks == 0 && one.Stopped() {
			return work.Outcome{Ends: true}, nil
		}
		came = one.take(one.how.Plan(i, length), l.Careful(i), wanted)
		if came.Ends {
			one.coverage.Clear()
		} else {
			s.covers.add(j, one.coverage)
		}
		if steps := s.steps.Add(int64(came.Stats.Steps)); one == first && j%scoutAsks == 0 {
			r.gauge.at(i, func() Stats {
				sum := r.now()
				sum.Add(Stats{Steps: int(steps), Paths: j, Walks: j})
				return sum
			})
		}
		return came, nil
	})
	if err != nil {
		return 0, err
	}
	for _, one := range came {
		if one.Ends {
			break
		}
		r.share.Took(one.Judged, l.Careful(l.From+nothing))
		r.add(one.Stats)
		r.remember(one.Met, one.Kept)
		nothing++
	}
	return nothing, nil
}

// take takes the walk of plan p. If careful is true, it audits the walk. It stops when wanted returns
// false, since an earlier walk has ended the lot. If the walk failed or is suspected, its outcome
// ends the lot.
func (one *scout) take(p walk.Plan, careful bool, wanted func() bool) work.Outcome {
	w := one.Walk
	w.Wanted = func() bool { return wanted() && !one.Stopped() }
	end, _, ended := one.takes(w, p, careful, one.known)
	one.Pulse.Rest()
	counted := one.counted()
	sum := one.opts.Walking.one(w, ended)
	sum.Add(Stats{Steps: counted.Steps, WalkSteps: counted.Steps, Audited: counted.Audited})
	return work.Outcome{
		Stats:  sum,
		Judged: one.taken(ended, careful), Kept: w.Plan.From, Met: w.Notes(),
		Ends: w.Left || !w.Well(end, ended),
	}
}
