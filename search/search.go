package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/search/internal/run"
	"macemc/search/internal/walk"
	"macemc/sim"
)

// Search looks for something wrong with a system: all runs to a bound, then
// random walks. An error is about the input; what is wrong with the service is
// a finding.
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
	r.Pulse.Here()
	if err := r.probe(); err != nil {
		return nil, err
	}
	return r.search()
}

// probe takes a few short walks to see by which links the system sends: a
// budget that was asked for and can never be spent is an error. Nothing else is
// looked at in them, so nothing counts as exercised by them.
func (r *runner) probe() error {
	const walks, steps = 20, 200
	if r.opts.Faults == nil && !r.opts.DiskReorder {
		return nil
	}
	faults := r.Budgets()
	before, own, pair := r.stats, r.World, r.Lockstep
	var err error
	if r.World, err = r.NewWorld(world.Config{Sprint: true}); err != nil {
		return err
	}
	if r.Lockstep, err = r.NewLockstep(world.Config{Audit: true}); err != nil {
		return err
	}
	s := walk.New(r.opts.Seed)
	idle, stored := "", false
	for i := range walks {
		s.Begin(walk.Plan{Number: 1<<48 + uint64(i), Climate: run.Fair, Length: walk.Length{Least: steps, Most: steps}})
		_, _, w := r.Run(s, false)
		stored = stored || w.Environ.Stored()
		if idle = w.Environ.Idle(faults); idle == "" && (stored || !r.opts.DiskReorder) {
			break
		}
	}
	r.stats, r.World, r.Lockstep = before, own, pair
	switch {
	case r.opts.DiskReorder && !stored:
		return fmt.Errorf("--disk reorder changes nothing in %s: no node has written to its store, in %d walks of %d steps; leave it out", r.Sys.Name, walks, steps)
	case r.opts.Faults == nil: // what the system tolerates is its author's business
	case idle != "":
		return fmt.Errorf("%s, in %d walks of %d steps; leave it out of the faults", idle, walks, steps)
	}
	return nil
}

func (r *runner) search() (*Result, error) {
	res := &Result{System: r.Sys, Params: r.opts.Params, Options: r.opts, Safety: Safety{State: StateNone}, Liveness: Liveness{State: StateNone}}
	r.stats.Engine = string(cmp.Or(r.opts.Engine, EngineMemo))
	exhaust := r.exhaustLocal
	switch {
	case r.opts.Prefixes > 0:
		exhaust = r.harvest
	case r.opts.Engine == EngineReference:
		exhaust = r.exhaust
	}
	var err error
	res.Finding, err = r.takePrefix()
	if err == nil && res.Finding != nil && r.findings.ignores(&res.Finding.Failure) {
		err = fmt.Errorf("the prefix itself ends in a %s that is to be ignored: nothing begins after it", res.Finding.Verdict)
	}
	if err == nil && res.Finding == nil {
		err = exhaust(res)
		if res.Finding == nil {
			res.Finding = r.periphery.pending
		}
	}
	if err == nil && res.Finding != nil {
		_, err = r.note(res.Finding)
		if len(r.findings.all) == 0 { // it is left out
			res.Finding = nil
		}
	}
	res.cut()
	r.Exploring = nil
	r.Limits.Relieved()
	if n := r.opts.walks(r.stats.Paths); err == nil && n > 0 && r.needsWalks(res) {
		var stop Stop
		stop, err = r.walks(n)
		if stop == StopTime && r.opts.timed() && r.stats.Walks >= defaultWalks && len(r.undecided) == 0 {
			stop = StopSpent
		}
		if err == nil && r.World.Judge.CanBeLive() && res.Liveness.State == StateNone {
			res.Liveness.State = StateSampled
		}
		if stop != StopPaths || res.Stop != StopMemory { // what cut it short is told, not what came after
			res.Stop = stop
			res.cut()
		}
	}
	res.Liveness.Walks, res.Liveness.WalkSteps = r.stats.Walks, r.reach
	if err != nil {
		return nil, err
	}
	res.Findings, res.Undecided = r.findings.all, r.undecided
	res.Alike, res.Ignored = r.findings.alike, r.findings.ignored
	if len(res.Findings) > 0 {
		res.Finding = res.Findings[0]
	}
	if !r.findings.wants() {
		res.Stop = StopFound
	}
	for _, f := range res.Findings {
		if f.Verdict == sim.VerdictDead || f.Verdict == sim.VerdictDivergence {
			res.Liveness.State = StateFound
		} else {
			res.Safety.State = StateFound
		}
	}
	res.beyond()
	if unused := r.unused(); len(unused) > 0 && res.Finding == nil {
		return nil, fmt.Errorf("system %s: opaque rule %q matched nothing in the states that were met; correct it or take it out", r.Sys.Name, unused[0])
	}
	res.Stats, res.Measured = r.stats, r.measured()
	if r.coverage.Overflowed() {
		_, res.Overflow = r.World.Links.Capacities()
	}
	res.Never, res.Slack, res.Held, res.Space = r.coverage.Never(), r.coverage.Slack(), r.coverage.Held(), r.space.result(res)
	res.Charts = r.coverage.Charts()
	return res, nil
}

// cut notes what the search stopped for, if that was before its bound.
func (res *Result) cut() {
	if res.Stop.Early() {
		res.Cut = cmp.Or(res.Cut, res.Stop)
	}
}

// beyond says that a space was not exhausted where runs ended in what is ignored: what
// follows nobody knows.
func (res *Result) beyond() {
	for _, state := range []*State{&res.Safety.State, &res.Liveness.State} {
		if res.Ignored > 0 && (*state == StateExhausted || *state == StateExhaustedWithin) {
			*state = StateCut
		}
	}
}

// unused are the opaque rules that matched nothing in any world.
func (r *runner) unused() (names []string) {
	for _, rule := range r.World.Unused() {
		both := false
		for _, other := range r.Lockstep.World.Unused() {
			both = both || other == rule
		}
		if both {
			names = append(names, rule)
		}
	}
	return names
}

// needsWalks reports whether walks can still tell something: not if every
// state is known to be safe, and known to be live or able to become so.
func (r *runner) needsWalks(res *Result) bool {
	decided := r.opts.Early == nil && // else walks go beyond the states that were visited
		res.Safety.State == StateExhausted && (!r.World.Judge.CanBeLive() || res.Liveness.State == StateExhausted)
	decided = decided || r.opts.Prefixes > 0
	for _, f := range r.findings.all {
		decided = decided || f.Verdict == sim.VerdictNondeterminism
	}
	return r.findings.wants() && !res.Stop.AtOnce() && res.Stop != StopPaths && !decided
}

// exhaust enumerates all runs, in rounds that go deeper and deeper.
func (r *runner) exhaust(res *Result) error {
	r.stats.Engine = string(EngineReference)
	res.Safety, res.Liveness = Safety{State: StateNone}, Liveness{State: StateNone}
	var done Stats
	deepest := cmp.Or(r.opts.Depth, math.MaxInt)
	for bound := min(r.opts.Step, deepest); ; bound = min(bound+r.opts.Step, deepest) {
		s := newReference(r, bound)
		s.all = r.opts.Visited == VisitedOff
		stop, err := r.round(s, res)
		if err != nil {
			return err
		}
		if stop == "" {
			r.stats.Depth = s.bound // a finding lowers it
			res.Safety = Safety{State: s.covered(), Depth: s.bound}
		} else if res.Safety.State == StateNone {
			res.Safety.State = StateIncomplete
		}
		if stop == "" || r.stats.Depth == 0 {
			done = r.stats
		} else { // what is told belongs to the last round that came to its end
			r.stats.States, r.stats.Transitions, r.stats.Duplicates = done.States, done.Transitions, done.Duplicates
		}
		switch {
		case stop.Early():
			res.Stop = stop
		case res.Finding != nil, stop == StopFound:
			res.Stop = StopFound
		case stop == stopEffort:
			res.Stop = StopDepth
		case stop != "":
			res.Stop = stop
		case !s.open():
			res.Stop = StopDone
			if res.Finding, res.Repeated, err = r.repeatRuns(s); res.Finding != nil {
				res.Stop = StopFound
			} else if why := r.Why(); why != "" {
				res.Stop = why
			}
			return err
		case bound == deepest:
			res.Stop = StopDepth
		default:
			continue
		}
		return nil
	}
}

// stopEffort ends a round that is too large for a search without a depth.
const stopEffort Stop = "effort"

// round enumerates all runs to one bound. After a finding it goes on with the
// bound lowered, so that the finding is the shallowest. It returns why it
// stopped early, or "".
func (r *runner) round(s *reference, res *Result) (Stop, error) {
	r.phase(PhaseStates, s.bound, 0)
	for more := true; more; more = s.Next() {
		if r.Stopped() {
			return r.Why(), nil
		}
		if r.opts.Paths > 0 && r.stats.Paths >= r.opts.Paths {
			return StopPaths, nil
		}
		if r.periphery.impatient() {
			return StopFound, nil
		}
		if r.opts.enough(r.stats) {
			return stopEffort, nil
		}
		careful := r.share.Due()
		end, failure, w := r.Run(s, careful)
		r.share.Took(r.taken(w, careful), careful)
		r.stats.Paths++
		r.tell()
		f, err := r.look(s, end, failure, w)
		if err != nil {
			return "", err
		}
		if f == nil {
			if end == run.EndLeft {
				if done, err := r.periphery.edge(s, w, res); done || err != nil {
					return StopFound, err
				}
				s.Cut()
			}
			continue
		}
		if r.findings.several() {
			enough, err := r.note(f)
			if enough || err != nil {
				return StopFound, err
			}
			s.Cut()
			continue
		}
		if res.Finding == nil || f.Step < res.Finding.Step || f.Verdict == sim.VerdictNondeterminism {
			res.Finding = f
		}
		if f.Verdict == sim.VerdictNondeterminism || f.Step == s.base {
			return StopFound, nil
		}
		s.bound = min(s.bound, f.Step-s.base-1)
		s.Cut()
	}
	return "", s.Err()
}

// look makes a finding of the end of an enumerated run, if it is one.
func (r *runner) look(s *reference, end run.Ending, failure *sim.Failure, w *world.World) (*Finding, error) {
	switch {
	case s.moved || end == run.EndStopped && isMismatch(w.Run.Err()):
		return r.hunt(fixed(s), r.Climate, w.Run.Steps())
	case end == run.EndFailed:
		return r.confirm(fixed(s)(), r.Climate, failure)
	case end == run.EndStopped:
		return nil, w.Run.Err()
	case s.dead:
		return r.judge(fixed(s)(), r.Climate, w, w.Run.Steps(), true)
	}
	return nil, nil
}

// fixed are the answers of an enumerated run, to be given again and again.
func fixed(s *reference) func() choose.Source {
	answers := s.Answers()
	return func() choose.Source {
		if s.begin != nil {
			return s.begin.Then(choose.NewFixed(answers...))
		}
		return choose.NewFixed(answers...)
	}
}

// hunt looks for the step at which a run that did not repeat itself differs.
func (r *runner) hunt(answers func() choose.Source, c run.Climate, steps int) (*Finding, error) {
	n := 0
	for ; n < repetitions && !r.Stopped(); n++ {
		_, failure, _ := r.Run(run.Repeat(answers(), c, steps), true)
		if failure != nil {
			return r.confirm(answers(), c, failure)
		}
	}
	return r.confirm(answers(), c, &sim.Failure{
		Verdict: sim.VerdictNondeterminism, Step: steps,
		Message: fmt.Sprintf("a run of %d steps did not lead to the same state when it was taken again, but did so %d times since%s", steps, n, run.Hint),
	})
}

func isMismatch(err error) bool {
	var m *choose.Mismatch
	return errors.As(err, &m)
}
