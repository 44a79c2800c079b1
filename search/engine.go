package search

import (
	"cmp"
	"math"

	"macemc/choose"
	"macemc/search/internal/explore"
	"macemc/search/internal/run"
	"macemc/sim"
)

// exhaustLocal visits all states, level by level.
func (r *runner) exhaustLocal(res *Result) error {
	r.stats.Engine, r.stats.Cloned = string(cmp.Or(r.opts.Engine, EngineMemo)), r.Sys.Clone != nil
	r.share = run.Share{}
	res.Safety, res.Liveness = Safety{State: StateNone}, Liveness{State: StateNone}
	x, err := r.owner.NewExplorer(run.Climate{Faults: r.Stormy(), Heal: -1}, r.opts.prints())
	if err != nil {
		return err
	}
	defer func() {
		r.disband()
		r.stats.Collision = x.Prints.Omission(x.Set.Len())
		x.Close()
	}()
	x.Begin = r.prefix.beginning(x.Climate)
	switch {
	case r.Always: // step properties look at every step
		r.stats.Engine = string(EngineLocal)
	case r.opts.Engine != EngineLocal:
		x.ByMemo()
	}
	switch _, done, err := r.level(x, res, r.prefix.base(), x.Roots); {
	case err == explore.ErrFull:
		res.Stop = StopMemory
		return nil
	case err == explore.ErrBound: // the engine that copies nothing is for them
		r.stats, r.share = Stats{Uncopied: x.World.State.Bound()}, run.Share{}
		r.opts.Effort = min(r.opts.Effort, effortReference)
		return r.exhaust(res)
	case done || err != nil:
		return err
	}
	deepest := cmp.Or(r.opts.Depth, math.MaxInt)
	level := x.Level()
	for depth := 0; ; depth++ {
		r.stats.Depth = depth
		res.Safety = Safety{State: covered(x, len(level) > 0), Depth: depth}
		if len(level) == 0 {
			res.Stop = StopDone
			if done, err := r.repeats(x, res); done || err != nil {
				return err
			}
			return r.decide(x, res)
		}
		if done, err := r.periphery.roundEnd(x, res, depth, level); done || err != nil {
			return err
		}
		if depth == deepest {
			res.Stop = StopDepth
			return nil
		}
		next, done, err := r.expand(x, res, depth+1, level)
		if err == explore.ErrHalt {
			if err = nil; !r.interrupted(res) {
				res.Stop = StopDepth
			}
		}
		if err == nil && !done && res.Stop == StopDepth { // this round has no end
			return r.periphery.lastRound(x, res, depth, level)
		}
		if done || err != nil || res.Stop != "" {
			return err
		}
		x.Expanded(level, next)
		level = next
	}
}

// expand takes every step from the states of a level, and returns those of the
// next, which are at a depth.
func (r *runner) expand(x *explore.Explorer, res *Result, depth int, level explore.Frontier) (next explore.Frontier, done bool, err error) {
	r.phase(PhaseStates, depth, level.Len())
	c, err := r.together(x, level)
	if err != nil {
		return nil, true, err
	}
	if c != nil {
		return c.level(r, res, depth, level)
	}
	from, rest := 0, false
	take := func() (err error) {
		if rest { // of the answers to the coins of an event, and of the events of a state
			rest = false
			if err := x.AnswersLeft(); err != nil {
				return err
			}
			if err := x.Rest(x.Current, x.LastEvent+1); err != nil {
				return err
			}
		}
		level.Some(from, level.Len(), func(k int, s uint32) bool {
			from, r.progress.Done = k+1, k
			if s%64 == 0 && r.interrupted(res) {
				return false
			}
			if !x.Outside(s) {
				err = x.Expand(s)
			}
			return err == nil
		})
		if err != nil {
			return err
		}
		return x.Settle()
	}
	for {
		before, going := from, rest
		bad, done, err := r.level(x, res, r.prefix.base()+depth, take)
		if err == explore.ErrFull {
			res.Stop, err = StopMemory, nil
		}
		if !done || err != nil || !r.findings.several() || res.Finding == nil || from == before && !going {
			return x.Level(), done, err
		}
		// A handler failed.
		f := res.Finding
		if res.Finding, res.Stop = nil, ""; bad.Strayed || f.Verdict == sim.VerdictNondeterminism {
			res.Finding, res.Stop = f, StopFound
			return x.Level(), done, nil
		}
		if enough, err := r.note(f); enough || err != nil {
			res.Stop = StopFound
			return x.Level(), true, err
		}
		rest = x.Step.Begun
		x.Resume()
	}
}

// interrupted reports whether the exhaustive phase is to stop here, and why.
func (r *runner) interrupted(res *Result) bool {
	r.tell()
	switch {
	case r.Stopped():
		res.Stop = r.Why()
	case r.periphery.impatient():
		res.Stop = StopFound
	case r.opts.enough(r.stats):
		res.Stop = StopDepth
	}
	return res.Stop != ""
}

// level takes the steps to the states of one depth, and makes a finding of
// what goes wrong.
func (r *runner) level(x *explore.Explorer, res *Result, depth int, take func() error) (bad *explore.Wrong, done bool, err error) {
	bad, err = r.owner.Guarded(x.Taker, take)
	switch {
	case err == explore.ErrEnough:
		res.Stop = StopFound
		return bad, true, nil
	case isMismatch(err):
		bad = &explore.Wrong{Strayed: true}
	case bad == nil || err != nil && !bad.Strayed:
		return nil, false, err
	}
	return bad, true, r.conclude(x, res, depth, bad, func() choose.Source { return bad.Run(x.Taker) })
}

// conclude makes a finding of what went wrong in a step to a depth, or in the
// state that it led to, by the answers of that run.
func (r *runner) conclude(x *explore.Explorer, res *Result, depth int, bad *explore.Wrong, answers func() choose.Source) (err error) {
	failure := bad.Failure
	switch {
	case bad.Strayed:
		if bad.Of != nil {
			depth = bad.Of.Length()
		}
		res.Finding, err = r.hunt(answers, x.Climate, depth)
	case bad.Dead:
		res.Finding, err = r.judge(answers(), x.Climate, x.World, depth, true)
	default:
		failure.Step = min(failure.Step, depth)
		if failure.Verdict != sim.VerdictNondeterminism {
			failure.Step = depth
		}
		res.Finding, err = r.confirm(answers(), x.Climate, failure)
	}
	res.Stop = StopFound
	return err
}

// covered is what the states that were expanded say about the space.
func covered(x *explore.Explorer, open bool) State {
	switch {
	case x.Sampled:
		return StateSampled
	case open:
		return StateBounded
	case !x.Inside:
		return StateExhaustedWithin
	default:
		return StateExhausted
	}
}

// repeats takes the steps of a space that was exhausted again, and makes a finding
// of what does not do the same.
func (r *runner) repeats(x *explore.Explorer, res *Result) (done bool, err error) {
	if len(r.findings.all) > 0 || r.periphery.pending != nil || x.Sampled {
		return false, nil
	}
	bad, err := r.owner.Guarded(x.Taker, func() (err error) {
		res.Repeated.Steps, res.Repeated.Times, err = x.Repeats()
		return err
	})
	switch {
	case err == explore.ErrHalt:
		res.Stop = r.Why()
		return true, nil
	case err != nil || bad == nil:
		return err != nil, err
	}
	run := x.Found()
	return true, r.conclude(x, res, run.Length(), bad, func() choose.Source { return run.Again() })
}
