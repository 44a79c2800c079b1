package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/search/internal/walk"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// Search looks for failures of a system: first in all runs up to a bound, and then in random walks.
// It returns an error only for its input; a failure of the service is a finding in the result.
func Search(sys *sim.System, opts Options) (*Result, error) {
	r, err := newRunner(sys, opts)
	if err != nil {
		return nil, err
	}
	defer r.watch()()
	res, returned, err := run.Apart(r.probeAndSearch)
	if !returned {
		return r.unwound()
	}
	return res, err
}

func (r *runner) probeAndSearch() (*Result, error) {
	r.here()
	if err := r.probe(); err != nil {
		return nil, err
	}
	return r.search()
}

// probe takes a few short walks to learn which links the system uses, and whether it stores
// anything. It returns an error if a fault that was asked for can never happen. These walks do not
// count for coverage.
func (h *hand) probe() error {
	const walks, steps = 20, 200
	if h.opts.Faults == nil && !h.opts.DiskReorder {
		return nil
	}
	own, err := h.NewWorld(world.Config{Sprint: true})
	if err != nil {
		return err
	}
	pair, err := h.NewLockstep(world.Config{Audit: true})
	if err != nil {
		return err
	}
	faults := h.Budgets()
	s := walk.New(h.opts.Seed)
	idle, stored := "", false
	h.In(own, pair, func() {
		for i := range walks {
			s.Begin(walk.Plan{Number: 1<<48 + uint64(i), Climate: run.Fair, Length: walk.Length{Least: steps, Most: steps}})
			_, _, w := h.Run(s, false)
			stored = stored || w.Environ.Stored()
			if idle = w.Environ.Idle(faults); idle == "" && (stored || !h.opts.DiskReorder) {
				break
			}
		}
	})
	h.counted() // drops the counts of these walks
	switch {
	case h.opts.DiskReorder && !stored:
		return fmt.Errorf("Options.DiskReorder changes nothing in %s: no node has written to its store, in %d walks of %d steps; leave it out", h.Sys.Name, walks, steps)
	case h.opts.Faults == nil: // the system names the faults, and not the user
	case idle != "":
		return fmt.Errorf("%s, in %d walks of %d steps; leave it out of the faults", idle, walks, steps)
	}
	return nil
}

// search runs the phases, one after another, and returns the result of the search.
func (r *runner) search() (*Result, error) {
	states, err := r.states()
	if err != nil {
		return nil, err
	}
	r.Explored()
	r.Limits.Relieved()
	var walks outcome
	if cmp.Or(states.liveness.State, StateNone) == StateNone && !states.stop.AtOnce() {
		if walks, err = r.sampleLoops(); err != nil {
			return nil, err
		}
	}
	if n := r.opts.walks(r.stats.Paths); n > 0 && r.needsWalks(states) && !walks.over() {
		if walks, err = r.walks(n, states); err != nil {
			return nil, err
		}
	}
	if err := r.reconsider(); err != nil {
		return nil, err
	}
	return r.fold(states, walks)
}

// states takes the prefix, and then runs the exhaustive phase from its end.
func (r *runner) states() (out outcome, err error) {
	f, err := r.takePrefix()
	switch {
	case err != nil:
		return out, err
	case f != nil && r.findings.ignores(&f.Failure):
		return out, fmt.Errorf("the prefix ends in a failure (%s) that Options.Ignore leaves out, so no search can begin after it; give another prefix", f.Verdict)
	case f != nil:
		out = outcome{finding: f}
	default:
		if out, err = r.exhaustive(); err != nil {
			return out, err
		}
	}
	r.collect()
	if f = cmp.Or(out.finding, r.periphery.pending); f != nil {
		_, err = r.note(f)
	}
	return out, err
}

// exhaustive is the exhaustive phase, by the engine of the options. If the search was resumed after
// this phase, it returns the outcome that was stored.
func (r *runner) exhaustive() (outcome, error) {
	from, err := r.resumed()
	switch {
	case err != nil:
		return outcome{}, err
	case from != nil && from.Levels == nil:
		return from.states(), nil
	}
	r.add(Stats{Engine: string(cmp.Or(r.opts.Engine, EngineMemo))})
	switch by := r.opts.shards(); {
	case by != nil:
		return r.exhaustShards(by)
	case r.opts.Prefixes > 0:
		return r.harvest()
	case r.opts.Engine == EngineReference:
		return r.exhaust()
	}
	return r.exhaustLocal(from)
}

// needsWalks reports whether walks can show anything new. They cannot if every state is known to be
// safe, and to be live or able to become live.
func (r *runner) needsWalks(states outcome) bool {
	decided := r.opts.Early == nil && // else walks go beyond the states that were visited
		states.safety.State == StateExhausted && (!r.promises() || states.liveness.State == StateExhausted)
	decided = decided || r.opts.Prefixes > 0
	for _, f := range r.findings.all {
		decided = decided || f.Verdict == trace.VerdictNondeterminism
	}
	return r.findings.wants() && !states.stop.AtOnce() && states.stop != StopPaths && !decided
}

// exhaust is the exhaustive phase of EngineReference. It enumerates all runs, in rounds that go
// deeper and deeper. It returns the outcome of the last complete round.
func (r *runner) exhaust() (out outcome, err error) {
	if r.opts.Reduce == reduceDPOR {
		return r.exhaustSources()
	}
	r.add(Stats{Engine: string(EngineReference)})
	var done Stats
	deepest := cmp.Or(r.opts.Depth, math.MaxInt)
	for bound := min(r.opts.Step, deepest); ; bound = min(bound+r.opts.Step, deepest) {
		s := newReference(r.hand, bound)
		stop, f, err := r.enumerated(s)
		r.round = nil
		r.collect()
		if err != nil {
			return out, err
		}
		safety := cmp.Or(out.safety, Safety{State: StateIncomplete})
		if stop == "" {
			r.add(Stats{Depth: s.bound}) // a finding lowers the bound
			safety = Safety{State: s.covered(), Depth: s.bound}
		}
		if counted := s.counted(); stop == "" || r.stats.Depth == 0 {
			done = Stats{States: counted.States, Transitions: counted.Transitions, Duplicates: counted.Duplicates}
		}
		r.add(Stats{Executed: s.executed})
		out = outcome{finding: f, safety: safety, stop: roundStop(stop, f, s.open(), bound == deepest)}
		if s.leftOut > 0 && (out.stop == StopDone || out.stop == StopDepth) {
			out.stop = StopQuarantined
		}
		if out.over() {
			r.add(done)
			if out.stop == StopDone {
				return r.repeatRuns(s, out)
			}
			return out, nil
		}
	}
}

// roundStop decides whether the enumeration ends after a round. It returns the reason, or "" if the
// next round goes deeper. stop is the reason why the round itself ended early, or "". f is the
// finding of the round, or nil. open says that there are states beyond the bound of the round, and
// deepest says that no round may have a larger bound.
func roundStop(stop Stop, f *Finding, open, deepest bool) Stop {
	switch {
	case stop.Early():
		return stop
	case f != nil, stop == StopFound:
		return StopFound
	case stop == stopEffort:
		return StopDepth
	case stop != "":
		return stop
	case !open:
		return StopDone
	case deepest:
		return StopDepth
	}
	return ""
}

// stopEffort ends a round that takes too much effort in a search without a depth.
const stopEffort Stop = "effort"

// enumerate takes all runs to one bound. After a finding it goes on with a lower bound, so that the
// last finding is a shortest one. stop is the reason why it ended early, or "".
func (r *runner) enumerate(s *reference) (stop Stop, found *Finding, err error) {
	r.gauge.begin(PhaseStates, s.bound, 0)
	r.round = s
	for more := true; more; more = s.Next() {
		if r.Stopped() {
			return r.Why(), found, nil
		}
		if r.opts.Paths > 0 && r.stats.Paths >= r.opts.Paths {
			return StopPaths, found, nil
		}
		if r.periphery.impatient() {
			return StopFound, found, nil
		}
		if r.opts.enough(r.now()) {
			return stopEffort, found, nil
		}
		careful := r.share.Due()
		end, failure, w := r.Run(s, careful)
		r.share.Took(r.taken(w, careful), careful)
		r.add(Stats{Paths: 1})
		r.tell()
		f, err := r.look(s, end, failure, w)
		if err != nil {
			return "", found, err
		}
		if f == nil {
			if end == run.EndLeft {
				if dead, done, err := r.periphery.edge(s, w); done || err != nil {
					return StopFound, cmp.Or(dead, found), err
				}
				s.Cut()
			}
			continue
		}
		if r.findings.several() {
			enough, err := r.note(f)
			if enough || err != nil {
				return StopFound, found, err
			}
			s.Cut()
			continue
		}
		if found == nil || f.Step < found.Step || f.Verdict == trace.VerdictNondeterminism {
			found = f
		}
		if f.Verdict == trace.VerdictNondeterminism || f.Step == s.base {
			return StopFound, found, nil
		}
		s.lower(f.Step - s.base - 1)
		s.Cut()
	}
	return "", found, s.Err()
}

// look makes a finding of an enumerated run, which ended in w, if it failed, is dead, or was not the same when its
// answers were repeated.
func (r *runner) look(s *reference, end run.Ending, failure *trace.Failure, w *world.World) (*Finding, error) {
	switch {
	case s.moved || end == run.EndStopped && isMismatch(w.Run.Err()):
		return r.hunt(fixed(s), r.Climate, w.Run.Steps(), "")
	case end == run.EndFailed:
		return r.confirm(fixed(s)(), r.Climate, failure)
	case end == run.EndStopped:
		return nil, w.Run.Err()
	case s.dead:
		return r.judge(fixed(s), r.Climate, w, w.Run.Steps(), true)
	}
	return nil, nil
}

// fixed returns a function that returns the answers of the run that s has just taken, each time
// from the first one on.
func fixed(s *reference) func() choose.Source {
	answers := s.Answers()
	return func() choose.Source {
		if s.begin != nil {
			return s.begin.Then(choose.NewFixed(answers...))
		}
		return choose.NewFixed(answers...)
	}
}

// hunt repeats a run that was not the same the second time, looks for the step that differs, and
// makes a finding of it. copied names a field in which a copy of a node differs from the node, to
// be reported if no step differs.
func (h *hand) hunt(answers func() choose.Source, c run.Climate, steps int, copied string) (*Finding, error) {
	n := 0
	for ; n < repetitions && !h.Stopped(); n++ {
		_, failure, _ := h.Run(run.Repeat(answers(), c, steps), true)
		if failure != nil {
			return h.confirm(answers(), c, failure)
		}
	}
	if copied != "" {
		return h.confirm(answers(), c, &trace.Failure{
			Verdict: trace.VerdictNondeterminism, Step: steps,
			Message: fmt.Sprintf("a copy of a node behaves unlike the node: a run of %d steps came to the same state %d times, and to another one when copies took its steps: %s%s", steps, n, copied, sharedByCopies),
		})
	}
	return h.confirm(answers(), c, &trace.Failure{
		Verdict: trace.VerdictNondeterminism, Step: steps,
		Message: fmt.Sprintf("a run of %d steps did not lead to the same state when it was taken again, but did so %d times since%s", steps, n, run.Hint),
	})
}

const sharedByCopies = "; a node shares with its copies what System.Immutable names, a value of a type in System.Opaque that cannot be copied, and package variables: one of these changes. Take its line out, name another type or field, or say in System.Remade how a copy gets its own"

func isMismatch(err error) bool {
	var m *choose.Mismatch
	return errors.As(err, &m)
}
