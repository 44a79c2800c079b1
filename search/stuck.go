package search

import (
	"fmt"
	"time"

	"macemc/choose"
	"macemc/search/internal/run"
	"macemc/sim"
)

// confirmStuck takes the run of a handler that seems stuck again, alone, and calls OnStuck
// if the handler does not return then either. If it returns, and the first one still does
// not, the handler does not do the same each time. A handler that has returned meanwhile
// was slow, and so may the machine be: the search goes on.
func (r *runner) confirmStuck(seems *runner) (stuck bool) {
	for _, other := range append([]*runner{r}, r.pulses.others()...) {
		if other != seems {
			defer other.Pulse.Hold()()
		}
	}
	count := seems.Pulse.Count()
	path, node, identity, climate, ok := seems.standsAt(count)
	if !ok {
		return false
	}
	moved := func() bool { return seems.Pulse.Count() != count || r.opts.Stop != nil && r.opts.Stop() != "" }
	returns := identity != run.HealedStep && !seems.StaysAgain(path, climate, r.opts.Stuck, userTime, moved) // no run leads to a healed step
	if (returns || identity == run.HealedStep) && !seems.Pulse.Stays(r.opts.Stuck, userTime, moved) {
		return false
	}
	defer seems.Pulse.Hold()()
	if moved() {
		return false
	}
	stack, does := seems.Pulse.Inside()
	failure := sim.Failure{Verdict: sim.VerdictDivergence, Message: stuckFor(r.opts.Stuck), Stack: stack}
	if returns {
		failure = sim.Failure{Verdict: sim.VerdictNondeterminism, Stack: stack, Message: fmt.Sprintf(
			"the handler did not return and asked Env nothing for %s (%s), but it returned when the run was taken again alone%s", r.opts.Stuck, does, run.Hint)}
	}
	r.opts.OnStuck(seems.stoppedAt(failure, path, node, identity))
	return true
}

// standsAt is the run that has asked so much, up to where it is. Not ok: it goes on.
func (r *runner) standsAt(count uint64) (path *choose.Path, node sim.Addr, identity string, c run.Climate, ok bool) {
	defer r.Pulse.Hold()()
	if count == 0 || r.Pulse.Count() != count || !r.Pulse.InHandler() {
		return nil, node, "", c, false
	}
	path, node, identity = r.UpToStuck()
	return path, node, identity, r.Climate, true
}

func stuckFor(d time.Duration) string {
	return "the handler did not return and asked Env nothing for " + d.String() + ": it loops for ever, or waits"
}

// unfinished is the result of a search whose last handler never returned.
func (r *runner) unfinished(failure sim.Failure) *Result {
	path, node, identity := r.UpToStuck()
	return r.stoppedAt(failure, path, node, identity)
}

// stoppedAt is the result of a search that cannot go on after a run.
func (r *runner) stoppedAt(failure sim.Failure, path *choose.Path, node sim.Addr, identity string) *Result {
	f := newFinding(failure, path, nil, r.Climate)
	f.Node, f.Identity, f.Step = node, identity, len(path.Steps)
	r.opts.label(r.Sys, f)
	safety, liveness := StateIncomplete, StateFound
	if failure.Verdict == sim.VerdictNondeterminism {
		safety, liveness = StateFound, StateNone
	}
	return &Result{
		System: r.Sys, Params: r.opts.Params, Options: r.opts, Finding: f, Findings: append(r.findings.all, f),
		Safety: Safety{State: safety}, Liveness: Liveness{State: liveness},
		Stop: StopFound, Stats: r.stats, Measured: r.measured(),
	}
}
