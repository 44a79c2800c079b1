package search

import (
	"cmp"
	"fmt"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/decide"
	"macemc/internal/search/internal/run"
	"macemc/internal/world"
	"macemc/sim"
)

// localStep identifies a step as its node sees it: by the node's state before the step, and the
// event.
type localStep struct {
	kept  canon.Hash
	event string
}

// localSteps returns a function to be called in each state of a run. That function calls each for
// every step of a node, with its number and description.
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

// Did takes the walks q, and counts for each step of the case how many of them took the same local
// step: the same event, at the same node, in the same state of that node.
func (l *Lab) Did(of *Case, q Walks) (*decide.Did, error) {
	out := &decide.Did{Kept: make([]int, of.Steps()), Broke: make([]int, of.Steps())}
	steps := map[localStep][]int{}
	if err := l.show(choose.NewRaw(of.picks), of.climate, of.Steps(), localSteps(func(n int, did localStep) { steps[did] = append(steps[did], n-1) })); err != nil {
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
		err := l.show(choose.NewRaw(k.answers(of)), k.climate, k.end, localSteps(func(_ int, did localStep) {
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

// Without repeats the run of a case, with the same answers, in the system with its known bugs
// switched off. It returns the first step after which this run differs from the run of the case; 0
// means that they differ at the start. If bugs is empty, they do not differ, or no bugs are
// switched on.
func (l *Lab) Without(of *Case) (step int, bugs []sim.BugID, err error) {
	opts, sys := l.Options(), l.first().Sys
	if bugs = opts.Params.Bugs(); len(bugs) == 0 {
		return 0, nil, nil
	}
	if opts.Params, err = sys.Configure(opts.Params.Nodes, opts.Params.Settings(sys), nil); err != nil {
		return 0, nil, err
	}
	off, err := l.without(sys, opts)
	if err != nil {
		return 0, nil, err
	}
	defer off.watched(l.recorded).Close()
	answers := choose.NewReplay(of.Path)
	answers.ByIdentity = true // other events may be possible too, so the numbers of events may differ
	var with, without looks
	if err := l.show(choose.NewRaw(of.picks), of.climate, of.Steps(), with.add); err != nil {
		return 0, nil, err
	}
	before := off.steps
	if err := off.show(answers, of.climate, of.Steps(), without.add); err != nil {
		return 0, nil, err
	}
	l.took(off.steps-before, 0)
	if step = with.parts(without); step < 0 {
		return 0, nil, nil
	}
	return step, bugs, nil
}

// without returns a lab for sys with its known bugs switched off.
func (l *Lab) without(sys *sim.System, opts Options) (off *Lab, err error) {
	if l.off == nil {
		opts.Workers = 1
		l.off, err = newLab(sys, opts, nil)
	}
	return l.off, err
}

// looks holds hashes of the states of a run, for comparing it with another run.
type looks struct {
	kept    canon.Hash // the states of the nodes at the start
	all     []canon.Hash
	besides []canon.Hash // by step: the hash of the state without the nodes
}

func (s *looks) add(w *world.World) {
	if w.Run.Steps() == 0 {
		for _, a := range w.Params().Addrs() {
			s.kept = s.kept.Then(w.State.Kept(a))
		}
	}
	all := w.State.Hash()
	s.all, s.besides = append(s.all, all), append(s.besides, all.Sub(w.State.NodesHash()))
}

// parts returns the index of the first state in which two runs differ, or that only one of them
// has. It returns -1 if there is none. If the nodes are initialized differently, it compares the
// states without the nodes.
func (s *looks) parts(o looks) int {
	mine, others := s.all, o.all
	if s.kept != o.kept {
		mine, others = s.besides, o.besides
	}
	for n := range max(len(mine), len(others)) {
		if n >= min(len(mine), len(others)) || mine[n] != others[n] {
			return n
		}
	}
	return -1
}

// Show repeats a recorded run, and calls see with each of its states, from the start on. It may
// call see twice after the last step. It returns an error if the run could not be taken to its end.
func (l *Lab) Show(path *choose.Path, see func(*world.World)) error {
	answers := choose.NewReplay(path)
	_, err := alone(l, func() (none struct{}, err error) {
		again := run.Repeat(answers, climateOf(path), len(path.Steps))
		again.See, again.Stop = see, l.Stopped
		_, failure, w := l.first().Run(again, false)
		switch {
		case failure != nil:
			seeFailed(w, see)
		case !answers.Done():
			err = fmt.Errorf("the run ended after %d of the path's %d steps: %w", w.Run.Steps(), len(path.Steps), cmp.Or(w.Run.Err(), ErrStopped))
		}
		return none, err
	})
	return err
}

// show repeats the run with the given answers, up to step end or to a failure, and calls see with
// each state.
func (l *Lab) show(answers choose.Source, c run.Climate, end int, see func(*world.World)) error {
	_, err := alone(l, func() (none struct{}, err error) {
		again := run.Repeat(answers, c, end)
		again.See = see
		l.first().Run(again, false)
		return none, nil
	})
	return err
}
