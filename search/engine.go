package search

import (
	"cmp"
	"math"

	"macemc/choose"
	"macemc/sim"
)

// exhaustLocal visits all states, level by level.
func (r *runner) exhaustLocal(res *Result) error {
	r.stats.Engine = string(cmp.Or(r.opts.Engine, EngineMemo))
	r.share = share{}
	res.Safety, res.Liveness = Safety{State: StateNone}, Liveness{State: StateNone}
	x, err := r.newExplorer(climate{faults: r.opts.stormy(r.sys), heal: -1}, r.opts.prints())
	if err != nil {
		return err
	}
	defer func() {
		r.stats.Collision = x.prints.omission(x.set.Len())
		x.close()
	}()
	x.lead = r.beginning(x.c)
	if r.opts.Engine != EngineLocal && !r.always { // step properties look at every step
		x.memo = newMemo(x)
	}
	switch done, err := r.level(x, res, r.base(), func() error { return x.roots() }); {
	case err == errBound: // the engine that copies nothing is for them
		r.stats, r.share = Stats{}, share{}
		r.opts.Effort = min(r.opts.Effort, effortReference)
		return r.exhaust(res)
	case done || err != nil:
		return err
	}
	deepest := cmp.Or(r.opts.Depth, math.MaxInt)
	for depth, from := 0, uint32(0); ; depth++ {
		level := x.next
		r.stats.Depth = depth
		res.Safety = Safety{State: x.covered(from < level), Depth: depth}
		if from == level {
			res.Stop = StopDone
			return r.decide(x, res)
		}
		if done, err := r.roundEnd(x, res, depth, int(from), int(level)); done || err != nil {
			return err
		}
		if depth == deepest {
			res.Stop = StopDepth
			return nil
		}
		next := from
		r.phase(PhaseStates, depth+1, int(level-from))
		done, err := r.level(x, res, r.base()+depth+1, func() error {
			for ; next < level; next++ {
				r.progress.Done = int(next - from)
				if next%64 == 0 && r.interrupted(res) {
					break
				}
				if !x.holds(next) || x.outside(next) {
					continue
				}
				if err := x.expand(next); err != nil || x.violated != nil {
					return err
				}
				if x.full {
					break
				}
			}
			if x.memo != nil && !x.full {
				if err := x.memo.settle(); err != nil || x.violated != nil {
					return err
				}
			}
			if x.full {
				res.Stop = StopMemory
			}
			return nil
		})
		if err == errHalt {
			if !r.interrupted(res) {
				res.Stop = StopDepth
			}
			return nil
		}
		if done || err != nil || res.Stop != "" {
			return err
		}
		if x.prints != nil {
			x.forget(from, level)
		}
		from = level
	}
}

// interrupted reports whether the exhaustive phase is to stop here, and why.
func (r *runner) interrupted(res *Result) bool {
	r.tell()
	switch {
	case r.stopped():
		res.Stop = r.why()
	case r.impatient():
		res.Stop = StopFound
	case r.opts.Depth == 0 && r.stats.Executed >= r.opts.Effort:
		res.Stop = StopDepth
	}
	return res.Stop != ""
}

// guarded does something with an explorer's world, and reports whether the
// service failed meanwhile.
func (r *runner) guarded(x *explorer, do func() error) (failed bool, err error) {
	r.climate, r.exploring = x.c, x
	failure := x.w.Protect(func() { err = do() })
	r.pulse.rest()
	if x.memo != nil && x.memo.verifying != nil {
		v := x.memo.verifying
		x.memo.verifying = nil
		return true, x.memo.differs(v.i, v.twin, "fails, or asks for other choices")
	}
	if failure != nil && x.violated == nil {
		x.violated = failure
	}
	if err == nil {
		err = x.w.Err()
	}
	return x.violated != nil, err
}

// level takes the steps to the states of one depth, and makes a finding of
// what goes wrong.
func (r *runner) level(x *explorer, res *Result, depth int, take func() error) (done bool, err error) {
	failed, err := r.guarded(x, take)
	answers := func() choose.Source { return x.found() }
	switch {
	case err == errEnough:
		res.Stop = StopFound
		return true, nil
	case isMismatch(err) || failed && x.strayed:
		res.Finding, err = r.hunt(answers, x.c, depth)
	case !failed || err != nil:
		return false, err
	case x.dead:
		res.Finding, err = r.judge(answers(), x.c, x.w, depth, true)
	default:
		x.violated.Step = min(x.violated.Step, depth)
		if x.violated.Verdict != sim.VerdictNondeterminism {
			x.violated.Step = depth
		}
		res.Finding, err = r.confirm(answers(), x.c, x.violated)
	}
	res.Stop = StopFound
	return true, err
}
