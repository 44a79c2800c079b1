package search

import (
	"cmp"
	"runtime"
	"slices"

	"macemc/choose"
	"macemc/sim"
)

// scouts take the walks that come next together, to see which is the first that
// needs a look. That one is then taken again, alone, as if nobody had been there
// before; the walks before it came to nothing. What a walk does depends on its
// number only, so what is found is the same for any number of workers. What was
// counted is too, but for checks: a share of the walks is taken twice, and after
// scouts it is made up for by the walks that follow.
type scouts struct {
	*crew
	walks []*walk // one for each runner
	steps []int   // of each walk of a turn
	needs []bool  // which of them need a look
}

const (
	scoutLeast = 1000 // walks that are taken alone: what ends by then has the same bytes for any number of workers
	scoutTurn  = 128  // walks of a turn, for each worker
)

// newScouts makes them; nil: the walks are taken alone.
func (r *runner) newScouts() (*scouts, error) {
	opts := r.opts
	opts.Workers = cmp.Or(opts.Workers, runtime.GOMAXPROCS(0))
	if opts.Workers == 1 || r.lead != nil || r.several() {
		return nil, nil
	}
	c, err := newCrew(r.sys, opts)
	if err != nil {
		return nil, err
	}
	turn := scoutTurn * opts.Workers
	s := &scouts{crew: c, steps: make([]int, turn), needs: make([]bool, turn)}
	for range c.runners {
		s.walks = append(s.walks, &walk{Walk: choose.NewWalk(opts.Seed)})
	}
	return s, nil
}

// ahead takes a turn of walks like one, from number i on and below n, and
// returns how many of them came to nothing before the first that needs a look.
func (s *scouts) ahead(r *runner, like *walk, i, n int) (nothing int, err error) {
	turn := min(len(s.steps), n-i)
	of := map[*runner]*walk{}
	for k, hand := range s.runners {
		w := s.walks[k]
		w.least, w.most, w.uniform = like.least, like.most, like.uniform
		of[hand] = w
		hand.reach, hand.limits, hand.pulse.on = r.reach, r.limits, r.pulse.on
	}
	clear(s.needs)
	r.pulses.set(s.runners)
	defer r.pulses.set(nil)
	_, err = s.do(turn, func(hand *runner, j int, _ func() bool) (more bool, err error) {
		w := of[hand]
		s.needs[j] = true
		if w == nil || hand.stopped() {
			return false, nil
		}
		hand.setOut(w, i+j)
		before := hand.stats.Steps
		end, _, world := hand.run(w, false)
		hand.pulse.rest()
		s.steps[j] = hand.stats.Steps - before
		s.needs[j] = !cameToNothing(w, end, world)
		return !s.needs[j], nil
	}, func(_ *runner, j int, _ *sim.Failure) bool {
		s.needs[j] = true
		return false
	})
	if err != nil {
		return 0, err
	}
	if nothing = slices.Index(s.needs[:turn], true); nothing < 0 {
		nothing = turn
	}
	for _, steps := range s.steps[:nothing] {
		r.stats.Steps += steps
		r.share.took(steps, false)
	}
	r.stats.Paths += nothing
	r.stats.Walks += nothing
	return nothing, nil
}

// disband adds what the scouts have covered.
func (s *scouts) disband(r *runner) {
	for _, hand := range s.runners {
		r.coverage.Merge(hand.coverage)
	}
}
