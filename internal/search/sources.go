package search

import (
	"fmt"

	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/sources"
	"macemc/internal/world"
	"macemc/trace"
)

// coveredBy returns how thoroughly s has visited the states, after it has taken all its runs.
func coveredBy(s *sources.Sources) State {
	switch {
	case s.Limited:
		return StateSampled
	case s.Cut:
		return StateIncomplete
	}
	return StateExhausted
}

// unsourced returns the reason why the search cannot leave out runs that differ only in the order
// of independent steps, or "".
func (r *runner) unsourced() string {
	switch o := &r.opts; {
	case o.Findings > 1 || len(o.Ignore) > 0:
		return "the search goes on after a finding but visits no states after a violation, so runs that only later steps show to be different would be lost"
	case o.Early != nil:
		return "Options.Early lets a timer wait for messages of all nodes"
	case o.Prefix != nil:
		return "Options.Prefix begins in the middle of runs"
	case o.Store != nil:
		return "Options.Store keeps rounds"
	}
	return r.hand.unreduced(nil)
}

// exhaustSources takes one run for each order of dependent steps.
func (r *runner) exhaustSources() (out outcome, err error) {
	if why := r.unsourced(); why != "" {
		return out, fmt.Errorf("Options.Reduce %s leaves no runs out here, since %s; take Options.Reduce none", r.opts.Reduce, why)
	}
	s, err := sources.New(&r.Runs, r.Stormy(), r.opts.Depth)
	if err != nil {
		return out, err
	}
	r.gauge.begin(PhaseStates, 0, 0)
	defer func() {
		r.add(Stats{States: s.States(), Transitions: s.Executed, Executed: s.Executed, Reduced: true, Traces: s.Runs, Asleep: s.Slept})
	}()
	out.safety = Safety{State: StateIncomplete}
	for more := true; more; more = s.Next() {
		if r.Stopped() {
			return stopped(r.Why()).covers(out.safety), nil
		}
		if r.opts.Paths > 0 && r.stats.Paths >= r.opts.Paths {
			return stopped(StopPaths).covers(out.safety), nil
		}
		if s.Executed >= r.opts.Effort {
			return stopped(StopDepth).covers(out.safety), nil
		}
		careful := r.share.Due()
		s.Begin()
		end, failure, w := r.Run(s, careful)
		r.share.Took(r.taken(w, careful), careful)
		r.add(Stats{Paths: 1})
		r.tell()
		f, err := r.looks(s, end, failure, w)
		if err != nil {
			return out, err
		}
		if f != nil {
			return found(f).covers(out.safety), nil
		}
		s.Ended(end)
	}
	r.collect()
	out.safety = Safety{State: coveredBy(s), Depth: s.Deepest}
	if out.stop = StopDone; s.Cut {
		out.stop = StopDepth
	}
	if out.safety.State == StateExhausted && !s.Faults && r.World.Judge.CanBeLive() {
		out.liveness = Liveness{State: StateExhausted}
	}
	return out, nil
}

// looks makes a finding of a run, which ended in w, if it failed, is dead, or was not the same when its answers were
// repeated.
func (r *runner) looks(s *sources.Sources, end run.Ending, failure *trace.Failure, w *world.World) (*Finding, error) {
	switch {
	case s.Moved || end == run.EndStopped && isMismatch(w.Run.Err()):
		return r.hunt(s.Answers, r.Climate, w.Run.Steps(), "")
	case end == run.EndFailed:
		return r.confirm(s.Answers(), r.Climate, failure)
	case end == run.EndStopped:
		return nil, w.Run.Err()
	case s.Dead:
		return r.judge(s.Answers, r.Climate, w, w.Run.Steps(), true)
	}
	return nil, nil
}
