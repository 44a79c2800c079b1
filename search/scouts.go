package search

import (
	"cmp"
	"runtime"
	"sync/atomic"

	"macemc/choose"
	"macemc/sim"
)

// A lot is some walks that come one after another. Which of them are careful
// is said before the first: it depends on what was counted until then, and not
// on who takes them.
type lot struct {
	from, to int
	stride   int // those are careful whose number it divides; 0: none
}

const (
	scoutLeast = 1000    // walks that are planned and taken one by one,
	scoutSteps = 1 << 20 // or so many steps of walks: what ends by then is covered alike by any number of workers
	scoutMost  = 1 << 14 // walks of a lot after those, at the most: as many as came before it, since at its end scouts wait for each other
	scoutMore  = 1 << 10 // walks that are added where more are wanted
	scoutAsks  = 8       // one of so many walks is asked whether it is still wanted, and tells how far they are; others ask on their way
	scoutWorth = 16      // where the last lot ended before so many, since one needed a look, the next is taken alone
)

// lot is the one that begins with walk number i, of n, and whether it is worth
// several workers.
func (r *runner) lot(i, n int) (l lot, large bool) {
	if i < scoutLeast && r.share.steps < scoutSteps {
		l = lot{from: i, to: i + 1}
		if r.share.due() {
			l.stride = 1
		}
		return l, false
	}
	l = lot{from: i, to: min(i+min(max(1, i), scoutMost), n)}
	l.stride = r.share.stride(l.to-i, i)
	return l, true
}

func (l lot) careful(i int) bool { return l.stride > 0 && i%l.stride == 0 }

// scouts take the walks of a lot together, to see which is the first that
// needs a look. That one is then taken again, alone, as if nobody had been there
// before; the walks before it came to nothing. What a walk does depends on its
// number only, and whether it is careful on its lot, so what is found and what
// is counted is the same for any number of workers.
type scouts struct {
	*crew  // nil: the walks are taken alone
	called bool
	walks  []*walk // one for each runner
	told   []outing
	steps  atomic.Int64 // of this lot, so far
}

// outing is what a walk of a scout came to.
type outing struct {
	steps   int  // that were taken
	taken   int  // of these, beyond a prefix: see runner.taken
	audited int  // 1: it was
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
	s.told = make([]outing, scoutMost)
	for range s.runners {
		s.walks = append(s.walks, &walk{Walk: choose.NewWalk(opts.Seed)})
	}
	return nil
}

// ahead takes the walks of a lot like one, and returns how many of them came
// to nothing before the first that needs a look.
func (s *scouts) ahead(r *runner, like *walk, l lot) (nothing int, err error) {
	n := l.to - l.from
	of := map[*runner]*walk{}
	for k, hand := range s.runners {
		w := s.walks[k]
		w.glance, w.least, w.most, w.uniform = like.glance, like.least, like.most, like.uniform
		of[hand] = w
		hand.like(r)
	}
	clear(s.told[:n])
	s.steps.Store(0)
	r.pulses.set(s.runners)
	defer r.pulses.set(nil)
	first := s.runners[0]
	_, err = s.do(n, func(hand *runner, j int, wanted func() bool) (more bool, err error) {
		w, i := of[hand], l.from+j
		s.told[j].needs = true
		if w == nil || j%scoutAsks == 0 && hand.Stopped() {
			return false, nil
		}
		w.wanted = func() bool { return wanted() && !hand.Stopped() }
		hand.setOut(w, i)
		before := hand.stats
		end, _, ended := hand.Run(w, l.careful(i))
		hand.Pulse.Rest()
		one := outing{
			steps: hand.stats.Steps - before.Steps, taken: hand.taken(ended, l.careful(i)), audited: hand.stats.Audited - before.Audited,
			needs: w.left || !cameToNothing(w, end, ended),
		}
		s.told[j] = one
		if steps := s.steps.Add(int64(one.steps)); hand == first && j%scoutAsks == 0 {
			sum := r.stats
			sum.Steps, sum.Paths, sum.Walks = sum.Steps+int(steps), sum.Paths+j, sum.Walks+j
			r.tellOf(sum, i)
		}
		return !one.needs, nil
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
		r.share.took(one.taken, l.careful(l.from+nothing))
		r.stats.Steps, r.stats.WalkSteps, r.stats.Audited = r.stats.Steps+one.steps, r.stats.WalkSteps+one.steps, r.stats.Audited+one.audited
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
	r.findings, r.stats = o.findings, o.stats
	if r.lead == nil && o.lead != nil {
		r.lead = &lead{o.lead.steps, o.lead.fair.Share(), o.lead.stormy.Share()}
	}
}

// disband adds what the scouts have covered.
func (s *scouts) disband(r *runner) {
	if s.crew == nil {
		return
	}
	for _, hand := range s.runners {
		r.coverage.Merge(hand.coverage)
	}
}
