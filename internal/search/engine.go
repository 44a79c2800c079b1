package search

import (
	"cmp"
	"math"

	"macemc/choose"
	"macemc/internal/search/internal/explore"
	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// exhaustLocal is the exhaustive phase with an engine that stores states: it visits all states, level
// by level. If from is not nil, it continues from that stored state of a search.
func (r *runner) exhaustLocal(from *kept) (out outcome, err error) {
	r.auditAnew()
	x, err := r.owner.NewExplorer(run.Climate{Faults: r.Stormy(), Heal: -1}, r.opts.prints())
	if err != nil {
		return out, err
	}
	defer r.Limits.Spends()
	defer func() {
		r.disband()
		r.add(Stats{Collision: x.Omission(), Dear: x.Dear(), Unpacked: x.Bank.Unpacked()})
		switch d := x.Reduction; {
		case d == nil:
		case d.Waits:
			r.forgoes(x)
		default:
			all, most, why := d.Hindered()
			r.add(Stats{
				Reduced: true, Parted: d.Stats.Parted, Voided: d.Stats.Voided, Cycles: d.Stats.Cycles, Commuted: d.Stats.Audited,
				Entire: all, Hindered: most, Hindrance: why,
			})
		}
		if z := x.Sleeping(); z != nil {
			r.add(Stats{Slept: z.Slept, Woken: z.Woken, Transitions: z.Slept, Duplicates: z.Slept})
		}
		if f := x.Fold(); f != nil {
			r.add(Stats{Symmetric: f.Names(), Renamed: f.Compared})
		}
		x.Close()
	}()
	depth, err := r.spills(x)
	if err != nil {
		return out, err
	}
	defer func() { err = cmp.Or(x.Lost(), err, depth.ends(r, x)) }()
	r.trial = trial{before: r.now(), after: cmp.Or(r.opts.trial, trialAfter)}
	x.Begin = r.prefix.beginning(x.Climate)
	if r.opts.Engine != EngineLocal {
		x.ByMemo()
	}
	r.add(Stats{Engine: string(cmp.Or(r.opts.Engine, EngineMemo)), Cloned: r.Sys.Clone != nil})
	if err := r.interchanges(x); err != nil {
		return out, err
	}
	roots := func() error {
		if err := x.Roots(); err != nil {
			return err
		}
		return x.EndLevel()
	}
	switch _, out, err := r.level(x, r.prefix.base(), roots); {
	case err == explore.ErrFull:
		return stopped(StopMemory), nil
	case err == explore.ErrBound: // the reference engine does not copy nodes
		r.counted()
		r.stats = Stats{Uncopied: x.World.State.Bound()}
		r.auditAnew()
		r.opts.Effort = min(r.opts.Effort, effortReference)
		if err := r.reducesNot("nodes cannot be copied: " + r.stats.Uncopied); err != nil {
			return out, err
		}
		return r.exhaust()
	case out.over() || err != nil:
		return out, err
	}
	if err := r.reduces(x); err != nil {
		return out, err
	}
	return r.levels(&x, from)
}

// levels expands one level after the other, with explorer *at. If it goes on with another explorer,
// because it has tried a reduction, it stores that explorer in *at.
func (r *runner) levels(at **explore.Explorer, from *kept) (outcome, error) {
	x := *at
	deepest := cmp.Or(r.opts.Depth, math.MaxInt)
	log := &levelLog{}
	level := x.Level()
	depth, again, err := r.rebuilds(x, log, level, from)
	if again.over() || err != nil {
		return again, err
	}
	if from != nil {
		level = log.last()
	}
	for ; ; depth++ {
		r.add(Stats{Depth: depth})
		safety := Safety{State: covered(x, len(level) > 0 || x.Spared), Depth: depth}
		if x.Spared {
			safety.Faults = r.owner.Few
		}
		if len(level) == 0 && x.Spared {
			return stopped(StopDepth).covers(safety), nil
		}
		if len(level) == 0 {
			return r.exhausted(x, safety)
		}
		out, err := r.periphery.roundEnd(x, depth, level)
		if out.over() || err != nil {
			return out.covers(safety), err
		}
		if depth == deepest {
			return stopped(StopDepth).covers(safety), nil
		}
		pays, err := r.tries(x, level)
		if err != nil {
			return out, err
		}
		if pays {
			if x, level, err = r.try(x, level); err != nil {
				return out, err
			}
			*at = x
		}
		next, out, err := r.expand(x, depth+1, level)
		if err == explore.ErrHalt {
			r.tell()
			out, err = stopped(cmp.Or(r.interrupted(), StopDepth)), nil
		}
		if err == nil && out.stop == StopDepth { // no round ends at this depth, so its walks are taken here
			var last outcome
			last, err = r.periphery.lastRound(x, depth, level)
			if last.over() {
				out = last
			}
		}
		if out.over() || err != nil {
			return out.covers(safety), err
		}
		if err := r.savesLevel(x, log, next); err != nil {
			return outcome{}, err
		}
		x.Expanded(level, next)
		r.Limits.Spares()
		x.Frees(next, cmp.Or(r.opts.parts, partsLeast), r.team.explorers()...)
		level = next
	}
}

// partsLeast is the number of parts of states that are stored before the search tries to free those
// that it needs no more: see Explorer.Frees.
const partsLeast = 1 << 16

// covers returns a copy of the outcome in which the answer about safety is s.
func (o outcome) covers(s Safety) outcome {
	return outcome{stop: o.stop, finding: o.finding, safety: s, liveness: o.liveness, repeated: o.repeated}
}

// exhausted ends an exploration that has visited every state: it repeats the steps as a check, and
// looks for dead states.
func (r *runner) exhausted(x *explore.Explorer, safety Safety) (outcome, error) {
	again, err := r.repeats(x)
	if again.over() || err != nil {
		return again.covers(safety), err
	}
	dead, err := r.decide(x, safety.State)
	if !dead.over() && err == nil {
		dead, err = r.cooled(x, safety.State, dead)
	}
	return outcome{
		stop: cmp.Or(dead.stop, StopDone), finding: dead.finding, safety: safety, liveness: dead.liveness, repeated: again.repeated,
	}, err
}

// expand takes the steps of the states of a level, and returns the next level, whose states have this
// depth.
func (r *runner) expand(x *explore.Explorer, depth int, level explore.Frontier) (next explore.Frontier, out outcome, err error) {
	r.gauge.begin(PhaseStates, depth, level.Len())
	c, err := r.together(x, level)
	if err != nil {
		return nil, out, err
	}
	if c != nil {
		return c.level(r, depth, level)
	}
	from, rest := 0, false
	var stop Stop
	take := func() (err error) {
		if rest { // a step has failed: take the event with its other answers, and then the other events of the state
			rest = false
			if err := x.AnswersLeft(); err != nil {
				return err
			}
			if err := x.Rest(x.Current, x.LastEvent+1); err != nil {
				return err
			}
		}
		level.Some(from, level.Len(), func(k int, s uint32) bool {
			from = k + 1
			if s%64 == 0 {
				r.at(k)
				if stop = r.interrupted(); stop != "" {
					return false
				}
			}
			if !x.Outside(s) {
				err = x.Expand(s)
			}
			return err == nil
		})
		if err != nil {
			return err
		}
		if err := x.Settle(); err != nil || stop != "" {
			return err
		}
		if err := x.Mend(); err != nil {
			return err
		}
		return x.EndLevel()
	}
	for {
		before, going := from, rest
		bad, out, err := r.level(x, r.prefix.base()+depth, take)
		if err == explore.ErrFull {
			out, err = stopped(StopMemory), nil
		}
		if err != nil || !out.over() || !r.findings.several() || out.finding == nil || from == before && !going {
			if !out.over() {
				out = stopped(stop)
			}
			return x.Level(), out, err
		}
		// A handler failed.
		if bad.Strayed || out.finding.Verdict == trace.VerdictNondeterminism {
			return x.Level(), out, nil
		}
		if enough, err := r.note(out.finding); enough || err != nil {
			return x.Level(), stopped(StopFound), err
		}
		rest = x.Step.Begun
		x.Resume()
	}
}

// interrupted returns the reason why the exhaustive phase should stop, or "" if it should go on.
func (r *runner) interrupted() Stop {
	switch {
	case r.Stopped():
		return r.Why()
	case r.periphery.impatient():
		return StopFound
	case r.opts.enough(r.now()):
		return StopDepth
	}
	return ""
}

// level calls take, which takes the steps that lead to the states at this depth. If a step or a
// state fails, level returns the failure as bad, and makes a finding of it, which is in out.
func (r *runner) level(x *explore.Explorer, depth int, take func() error) (bad *explore.Wrong, out outcome, err error) {
	bad, err = r.owner.Guarded(x.Taker, take)
	switch {
	case err == explore.ErrEnough:
		return bad, stopped(StopFound), nil
	case isMismatch(err):
		bad = &explore.Wrong{Strayed: true}
	case bad == nil || err != nil && !bad.Strayed:
		return nil, out, err
	}
	if x.Reduction != nil || x.Sleeping() != nil { // a state that was expanded again is not of the last level
		depth = bad.Run(x.Taker).Length()
	}
	out, err = r.conclude(x, depth, bad, func() choose.Source { return bad.Run(x.Taker) })
	return bad, out, err
}

// conclude makes a finding of the failure bad, in a state at this depth or in the step to it. The
// function answers returns the choices of the run.
func (r *runner) conclude(x *explore.Explorer, depth int, bad *explore.Wrong, answers func() choose.Source) (outcome, error) {
	var f *Finding
	var err error
	switch {
	case bad.Strayed:
		if bad.Of != nil {
			depth = bad.Of.Length()
		}
		f, err = r.hunt(answers, x.Climate, depth, bad.Copied)
	case bad.Dead:
		f, err = r.judge(answers, x.Climate, x.World, depth, true)
	default:
		f, err = r.confirm(answers(), x.Climate, failedAfter(*bad.Failure, depth))
	}
	return found(f), err
}

// failedAfter returns f as the failure of a run of depth steps.
func failedAfter(f trace.Failure, depth int) *trace.Failure {
	if f.Step = min(f.Step, depth); f.Verdict != trace.VerdictNondeterminism {
		f.Step = depth
	}
	return &f
}

// covered returns how thoroughly x has visited the states of the system. If open is true, some states
// were not expanded.
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

// repeats repeats the steps of x, which has visited every state. It makes a finding of a step that does
// not do the same each time.
func (r *runner) repeats(x *explore.Explorer) (out outcome, err error) {
	if len(r.findings.all) > 0 || r.periphery.pending != nil || x.Sampled {
		return out, nil
	}
	var again Repeated
	bad, err := r.owner.Guarded(x.Taker, func() error {
		steps, times, err := x.Repeats(r.now().Transitions)
		again = Repeated{steps, times}
		return err
	})
	switch {
	case err == explore.ErrHalt:
		return stopped(r.Why()), nil
	case err != nil || bad == nil:
		return outcome{repeated: again}, err
	}
	run := x.Found()
	return r.conclude(x, run.Length(), bad, func() choose.Source { return run.Again() })
}
