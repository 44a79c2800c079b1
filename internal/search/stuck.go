package search

import (
	"fmt"
	"time"

	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// confirmStuck examines a hand whose handler does not seem to return. It takes the same run a second
// time, while all other hands wait. If the handler does not return in the second run either,
// confirmStuck calls OnStuck with the result that it loops for ever or waits. If it returns there, and
// still has not returned in the first run, confirmStuck calls OnStuck with the result that it is not
// deterministic. If it has returned in the first run meanwhile, it was only slow, perhaps because the
// machine is, and the search goes on.
func (m *monitor) confirmStuck(seems *hand) (stuck bool) {
	for _, other := range m.all() {
		if other != seems {
			defer other.Pulse.Hold()()
		}
	}
	opts := &m.first.opts
	count := seems.Pulse.Count()
	at, climate, ok := seems.standsAt(count)
	if !ok {
		return false
	}
	moved := func() bool { return seems.Pulse.Count() != count || opts.Stop != nil && opts.Stop() != "" }
	healed := at.identity == run.HealedStep // the run to a healed state was not kept
	returns := !healed && !seems.StaysAgain(at.Path, climate, opts.Stuck, userTime, moved)
	if (returns || healed) && !seems.Pulse.Stays(opts.Stuck, userTime, moved) {
		return false
	}
	defer seems.Pulse.Hold()()
	if moved() {
		return false
	}
	stack, does := seems.Pulse.Inside()
	failure, safety, liveness := trace.Failure{Verdict: trace.VerdictDivergence, Message: stuckFor(opts.Stuck), Stack: stack}, StateIncomplete, StateFound
	if returns {
		safety, liveness = StateFound, StateNone
		failure = trace.Failure{Verdict: trace.VerdictNondeterminism, Stack: stack, Message: fmt.Sprintf(
			"the handler did not return and asked Env nothing for %s (%s), but it returned when the run was taken again alone%s", opts.Stuck, does, run.Hint)}
	}
	opts.OnStuck(seems.stoppedAt(failure, at, m.soFar(seems), safety, liveness))
	return true
}

// standsAt returns the run of a hand up to its present step. count is an earlier count of the hand's
// pulse, which grows while the handler makes progress. If the pulse has another count now, ok is
// false.
func (h *hand) standsAt(count uint64) (at runPath, c run.Climate, ok bool) {
	defer h.Pulse.Hold()()
	if count == 0 || h.Pulse.Count() != count || !h.Pulse.InHandler() {
		return at, c, false
	}
	return h.upToStuck(), h.Climate, true
}

// upToStuck returns the run up to the handler that did not return.
func (h *hand) upToStuck() runPath {
	path, node, identity := h.UpToStuck()
	return runPath{path, node, identity}
}

func stuckFor(d time.Duration) string {
	return "the handler did not return and asked Env nothing for " + d.String() + ": it loops for ever, or waits"
}
