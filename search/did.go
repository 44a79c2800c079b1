package search

import (
	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/decide"
	"macemc/internal/world"
	"macemc/search/internal/run"
	"macemc/sim"
)

// localStep is what a node does, as far as itself is concerned: what it kept before,
// and the event.
type localStep struct {
	kept  canon.Hash
	event string
}

// localSteps tells the steps of a run, state after state, as local ones. Those of
// nobody are left out.
func localSteps(each func(step int, did localStep)) func(*world.World) {
	before := map[sim.Addr]canon.Hash{}
	return func(w *world.World) {
		if e := w.Run.LastEvent(); w.Run.Steps() > 0 && !e.Node.IsZero() {
			each(w.Run.Steps(), localStep{before[e.Node], w.Run.LastIdentity()})
		}
		for _, a := range w.Params().Addrs() {
			before[a] = w.State.Kept(a)
		}
	}
}

// Did takes walks and says in how many of them each step of a run was taken as it
// was there: by the same node, which kept the same before, of the same event.
func (l *Lab) Did(of *Case, q Walks) (*decide.Did, error) {
	out := &decide.Did{Kept: make([]int, of.Steps()), Broke: make([]int, of.Steps())}
	steps := map[localStep][]int{}
	if err := l.show(of.picks, of.climate, of.Steps(), localSteps(func(n int, did localStep) { steps[did] = append(steps[did], n-1) })); err != nil {
		return nil, err
	}
	walked, err := l.Walk(of, q)
	if err != nil {
		return nil, err
	}
	count := func(walk any, by []int) error {
		if l.Stopped() {
			return ErrStopped
		}
		k, met := walk.(*labWalk), map[int]bool{}
		err := l.show(k.answers(of), k.climate, k.end, localSteps(func(_ int, did localStep) {
			for _, n := range steps[did] {
				met[n] = true
			}
		}))
		for n := range met {
			by[n]++
		}
		return err
	}
	for _, s := range walked.Success {
		if err := count(s.Walk, out.Kept); err != nil {
			return nil, err
		}
	}
	for _, f := range walked.Failed {
		if err := count(f.Walk, out.Broke); err != nil {
			return nil, err
		}
	}
	out.AllKept, out.AllBroke = len(walked.Success), len(walked.Failed)
	return out, nil
}

// Without tells at which step a run parts from the one that the same answers make
// where the known bugs are switched off. 0: at none, there are no such bugs, or the
// two begin in different states.
func (l *Lab) Without(of *Case) (step int, err error) {
	opts, sys := l.Options(), l.first.Sys
	if len(opts.Params.Bugs()) == 0 {
		return 0, nil
	}
	if opts.Params, err = sys.Configure(opts.Params.Nodes, opts.Params.Settings(sys), nil); err != nil {
		return 0, err
	}
	opts.Workers = 1
	c, err := newCrew(sys, opts)
	if err != nil {
		return 0, err
	}
	off := &Lab{crew: c, first: c.runners[0], end: c.watch()}
	defer off.Close()
	var with, without []canon.Hash
	states := func(all *[]canon.Hash) func(*world.World) {
		return func(w *world.World) { *all = append(*all, w.State.Hash()) }
	}
	if err := l.show(of.picks, of.climate, of.Steps(), states(&with)); err != nil {
		return 0, err
	}
	if err := off.show(of.picks, of.climate, of.Steps(), states(&without)); err != nil {
		return 0, err
	}
	l.effort += off.effort
	if len(with) == 0 || len(without) == 0 || with[0] != without[0] {
		return 0, nil
	}
	for n := range max(len(with), len(without)) {
		if n >= min(len(with), len(without)) || with[n] != without[n] {
			return n, nil
		}
	}
	return 0, nil
}

// show takes a run again, as far as it goes without a failure, and shows its states.
func (l *Lab) show(answers []choose.Pick, c run.Climate, end int, see func(*world.World)) error {
	_, err := alone(l, func() (none struct{}, err error) {
		again := run.Repeat(choose.NewRaw(answers), c, end)
		again.See = see
		l.first.Run(again, false)
		return none, nil
	})
	return err
}
