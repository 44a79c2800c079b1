package search

import (
	"errors"
	"fmt"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/sim"
	"macemc/trace"
)

// blameSlow finds out whether slow links alone make a run dead. A message on a slow link waits as
// long as any other event is possible, perhaps for ever; on a real link it would arrive. So
// blameSlow takes the run again with links that are not slow. If the end of the run can recover
// then, it adds a note to the finding's message.
func (r *runner) blameSlow(f *Finding) error {
	slow := r.slowLinks()
	if f == nil || f.Verdict != trace.VerdictDead || slow == "" {
		return nil
	}
	alive, err := r.aliveUnslowed(f)
	if alive {
		f.AddMessage(fmt.Sprintf("the slow links (%s) alone cause it: a message on them waits for as long as anything else is to be done, and here that never ends; where no link is slow, the end of this run can recover", slow))
	}
	return err
}

// slowLinks returns the names of the slow links: those of the options or, if these name none, those
// of the system. It returns "" if no link is slow.
func (r *runner) slowLinks() string {
	if r.Network.Slow == "" && r.Sys.Network != nil {
		return r.Sys.Network(r.Params).Slow
	}
	return r.Network.Slow
}

// aliveUnslowed takes the run of f with links that are not slow. It reports whether the run is still
// possible and its end is then known not to be dead.
func (r *runner) aliveUnslowed(f *Finding) (alive bool, err error) {
	sys, opts := *r.Sys, r.opts
	if of := sys.Network; of != nil {
		sys.Network = func(p sim.Params) sim.Network { return fast(of(p)) }
	}
	opts.Network = fast(opts.Network)
	effort := r.left()
	l, err := newLab(&sys, opts, r.hand)
	if err != nil {
		return false, err
	}
	defer func() { r.add(Stats{Steps: l.steps, Judging: l.steps, Settled: l.states}) }()
	answers := choose.NewReplay(f.Path)
	answers.ByIdentity = true // more is possible now
	of, err := alone(l, func() (*Case, error) {
		of, _, _ := l.examine(answers, f.climate, len(f.Path.Steps))
		return of, nil
	})
	if err != nil || of.Steps() < len(f.Path.Steps) || of.Failure != nil {
		return false, nil // it cannot be taken so
	}
	_, err = l.Finder(of, l.within(effort)).End()
	switch {
	case errors.Is(err, decide.ErrAlive):
		return true, nil
	case errors.Is(err, decide.ErrStopped):
		return false, nil
	default:
		return false, err
	}
}

func fast(n sim.Network) sim.Network {
	n.Slow = ""
	return n
}
