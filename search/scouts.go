package search

import (
	"cmp"
	"runtime"
	"sync/atomic"

	"macemc/search/internal/walk"
	"macemc/sim"
)

const (
	scoutMore  = 1 << 10 // walks that are added where more are wanted
	scoutAsks  = 8       // one of so many walks is asked whether it is still wanted, and tells how far they are; others ask on their way
	scoutWorth = 16      // where the last lot ended before so many, since one needed a look, the next is taken alone
)

// scouts take the walks of a lot together, to see which is the first that
// needs a look. That one is then taken again, alone, as if nobody had been there
// before; the walks before it came to nothing. What a walk does depends on its
// number only, and whether it is careful on its lot, so what is found and what
// is counted is the same for any number of workers.
type scouts struct {
	*crew  // nil: the walks are taken alone
	called bool
	told   []outing
	steps  atomic.Int64 // of this lot, so far
	covers tallies
}

// scout is one of them.
type scout struct {
	*walk.Walk
	how walk.Strategy
}

// outing is what a walk of a scout came to.
type outing struct {
	steps   int // that were taken
	taken   int // of these, beyond a prefix: see runner.taken
	audited int // 1: it was
	manner  walk.Manner
	met     *walk.Notes
	from    int  // the number of the kept state where it began; 0: none
	needs   bool // a look
}

// call makes them, if there are to be several.
func (s *scouts) call(r *runner) (err error) {
	s.called = true
	opts := r.opts
	opts.Workers = cmp.Or(opts.Workers, runtime.GOMAXPROCS(0))
	if opts.Workers == 1 {
		return nil
	}
	if s.crew, err = newCrew(r.Sys, opts); err != nil {
		return err
	}
	s.told = make([]outing, walk.LotMost)
	return nil
}

// ahead takes the walks of a lot, and returns how many of them came
// to nothing before the first that needs a look.
func (s *scouts) ahead(r *runner, length walk.Length, l walk.Lot) (nothing int, err error) {
	n := l.To - l.From
	of := map[*runner]scout{}
	for _, hand := range s.runners {
		hand.like(r)
		one := scout{walk.New(r.opts.Seed), hand.strategy()}
		one.Corpus = r.corpus
		hand.coverage.Clear()
		of[hand] = one
	}
	clear(s.told[:n])
	s.steps.Store(0)
	s.covers.begin(r.coverage)
	r.pulses.set(s.runners)
	defer r.pulses.set(nil)
	first := s.runners[0]
	_, err = s.do(n, func(hand *runner, j int, wanted func() bool) (more bool, err error) {
		one, i := of[hand], l.From+j
		w := one.Walk
		s.told[j].needs = true
		if w == nil || j%scoutAsks == 0 && hand.Stopped() {
			return false, nil
		}
		w.Wanted = func() bool { return wanted() && !hand.Stopped() }
		w.Begin(one.how.Plan(i, length))
		before := hand.stats
		end, _, ended := hand.Run(w, l.Careful(i))
		hand.Pulse.Rest()
		came := outing{
			steps: hand.stats.Steps - before.Steps, taken: hand.taken(ended, l.Careful(i)), audited: hand.stats.Audited - before.Audited,
			manner: w.Plan.Guide.Manner, from: w.Plan.From, met: w.Notes(),
			needs: w.Left || !w.Well(end, ended),
		}
		if s.told[j] = came; came.needs {
			hand.coverage.Clear()
		} else {
			s.covers.add(j, hand.coverage)
		}
		if steps := s.steps.Add(int64(came.steps)); hand == first && j%scoutAsks == 0 {
			sum := r.stats
			sum.Steps, sum.Paths, sum.Walks = sum.Steps+int(steps), sum.Paths+j, sum.Walks+j
			r.tellOf(sum, i)
		}
		return !came.needs, nil
	}, func(_ *runner, j int, _ *sim.Failure) bool {
		s.told[j].needs = true
		return false
	})
	if err != nil {
		return 0, err
	}
	for _, one := range s.told[:n] {
		if one.needs {
			break
		}
		r.share.Took(one.taken, l.Careful(l.From+nothing))
		r.stats.Steps, r.stats.WalkSteps, r.stats.Audited = r.stats.Steps+one.steps, r.stats.WalkSteps+one.steps, r.stats.Audited+one.audited
		if r.opts.Walking.guided() {
			r.stats.Manners[one.manner]++
		}
		r.remember(one.met, one.from)
		nothing++
	}
	r.stats.Paths += nothing
	r.stats.Walks += nothing
	return nothing, nil
}

// like makes a runner take walks as another one does, and tell what it has
// found, if it comes to its end itself.
func (r *runner) like(o *runner) {
	r.reach, r.Limits, r.Pulse.On = o.reach, o.Limits, o.Pulse.On
	r.findings, r.stats, r.corpus = o.findings, o.stats, o.corpus
	if r.prefix == nil && o.prefix != nil {
		r.prefix = &prefix{o.prefix.steps, o.prefix.fair.Share(), o.prefix.stormy.Share()}
	}
}
