package search

import (
	"cmp"
	"math"

	"macemc/choose"
	"macemc/search/internal/run"
	"macemc/sim"
)

// exhaustLocal visits all states, level by level.
func (r *runner) exhaustLocal(res *Result) error {
	r.stats.Engine = string(cmp.Or(r.opts.Engine, EngineMemo))
	r.share = run.Share{}
	res.Safety, res.Liveness = Safety{State: StateNone}, Liveness{State: StateNone}
	x, err := r.newExplorer(run.Climate{Faults: r.Stormy(), Heal: -1}, r.opts.prints())
	if err != nil {
		return err
	}
	defer func() {
		r.disband()
		r.stats.Collision = x.prints.omission(x.set.Len())
		x.close()
	}()
	x.lead = r.beginning(x.c)
	if r.opts.Engine != EngineLocal && !r.Always { // step properties look at every step
		x.byMemo()
	}
	switch _, done, err := r.level(x, res, r.base(), x.roots); {
	case err == errFull:
		res.Stop = StopMemory
		return nil
	case err == errBound: // the engine that copies nothing is for them
		r.stats, r.share = Stats{}, run.Share{}
		r.opts.Effort = min(r.opts.Effort, effortReference)
		return r.exhaust(res)
	case done || err != nil:
		return err
	}
	deepest := cmp.Or(r.opts.Depth, math.MaxInt)
	level := x.level()
	for depth := 0; ; depth++ {
		r.stats.Depth = depth
		res.Safety = Safety{State: x.covered(len(level) > 0), Depth: depth}
		if len(level) == 0 {
			res.Stop = StopDone
			if done, err := r.repeats(x, res); done || err != nil {
				return err
			}
			return r.decide(x, res)
		}
		if done, err := r.roundEnd(x, res, depth, level); done || err != nil {
			return err
		}
		if depth == deepest {
			res.Stop = StopDepth
			return nil
		}
		next, done, err := r.expand(x, res, depth+1, level)
		if err == errHalt {
			if err = nil; !r.interrupted(res) {
				res.Stop = StopDepth
			}
		}
		if err == nil && !done && res.Stop == StopDepth { // this round has no end
			return r.lastRound(x, res, depth, level)
		}
		if done || err != nil || res.Stop != "" {
			return err
		}
		x.expanded(level, next)
		level = next
	}
}

// expand takes every step from the states of a level, and returns those of the
// next, which are at a depth.
func (r *runner) expand(x *explorer, res *Result, depth int, level frontier) (next frontier, done bool, err error) {
	r.phase(PhaseStates, depth, level.len())
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
			if err := x.answersLeft(); err != nil {
				return err
			}
			if err := x.rest(x.current, x.lastEvent+1); err != nil {
				return err
			}
		}
		level.some(from, level.len(), func(k int, s uint32) bool {
			from, r.progress.Done = k+1, k
			if s%64 == 0 && r.interrupted(res) {
				return false
			}
			if !x.outside(s) {
				err = x.expand(s)
			}
			return err == nil
		})
		if err != nil {
			return err
		}
		return x.settle()
	}
	for {
		before, going := from, rest
		bad, done, err := r.level(x, res, r.base()+depth, take)
		if err == errFull {
			res.Stop, err = StopMemory, nil
		}
		if !done || err != nil || !r.several() || res.Finding == nil || from == before && !going {
			return x.level(), done, err
		}
		// A handler failed.
		f := res.Finding
		if res.Finding, res.Stop = nil, ""; bad.strayed || f.Verdict == sim.VerdictNondeterminism {
			res.Finding, res.Stop = f, StopFound
			return x.level(), done, nil
		}
		if enough, err := r.note(f); enough || err != nil {
			res.Stop = StopFound
			return x.level(), true, err
		}
		rest = x.step.begun
		x.resume()
	}
}

// answersLeft takes the event that was taken last for the answers to its coins
// that are left.
func (x *explorer) answersLeft() error {
	if !x.moreCoins() {
		return nil
	}
	in, is := x.stepper.(inWorld)
	if !is {
		in = inWorld{taker: x.taker}
	}
	event := x.lastEvent
	in.load(x.current)
	x.w.Enabled()
	return x.takeOn(x.current, event)
}

// resume makes an explorer ready to go on after a step that failed.
func (x *explorer) resume() {
	x.step.begun = false
	x.w.Pardon() // where it was the last state of a level, no other is loaded
}

// interrupted reports whether the exhaustive phase is to stop here, and why.
func (r *runner) interrupted(res *Result) bool {
	r.tell()
	switch {
	case r.Stopped():
		res.Stop = r.Why()
	case r.impatient():
		res.Stop = StopFound
	case r.opts.enough(r.stats):
		res.Stop = StopDepth
	}
	return res.Stop != ""
}

// level takes the steps to the states of one depth, and makes a finding of
// what goes wrong.
func (r *runner) level(x *explorer, res *Result, depth int, take func() error) (bad *wrong, done bool, err error) {
	bad, err = r.guarded(x.taker, take)
	switch {
	case err == errEnough:
		res.Stop = StopFound
		return bad, true, nil
	case isMismatch(err):
		bad = &wrong{strayed: true}
	case bad == nil || err != nil && !bad.strayed:
		return nil, false, err
	}
	return bad, true, r.conclude(x, res, depth, bad, func() choose.Source { return x.found() })
}

// conclude makes a finding of what went wrong in a step to a depth, or in the
// state that it led to, by the answers of that run.
func (r *runner) conclude(x *explorer, res *Result, depth int, bad *wrong, answers func() choose.Source) (err error) {
	failure := bad.failure
	switch {
	case bad.strayed:
		res.Finding, err = r.hunt(answers, x.c, depth)
	case bad.dead:
		res.Finding, err = r.judge(answers(), x.c, x.w, depth, true)
	default:
		failure.Step = min(failure.Step, depth)
		if failure.Verdict != sim.VerdictNondeterminism {
			failure.Step = depth
		}
		res.Finding, err = r.confirm(answers(), x.c, failure)
	}
	res.Stop = StopFound
	return err
}
