package search

import (
	"fmt"

	"macemc/choose"
	"macemc/sim"
)

// isolateMost is how many healed states are visited to find the critical step
// of one run exactly.
const isolateMost = 200_000

// isolate decides exactly whether a run ends dead, and after which of its steps
// recovery became impossible, by exhausting what can still happen after it once
// the environment has healed: that is usually little. It reports whether it
// could be decided; f.Critical nil then means that the end can recover.
func (r *runner) isolate(f *Finding) (decided bool, err error) {
	before := r.stats // of the search: this is about one run of it
	defer func() { r.stats = before }()
	x, err := r.newExplorer(f.climate, nil)
	if err != nil {
		return false, err
	}
	defer x.close()
	if !r.always {
		x.memo = newMemo(x)
	}
	g, err := r.newClosure(x)
	if err != nil {
		return false, err
	}
	defer g.close()
	g.most = isolateMost
	stopped := false
	var follow []uint32
	failed, err := r.guarded(x, func() (err error) {
		if follow, err = x.follow(f); err != nil {
			return err
		}
		if err := g.collect(x); err != nil || g.full {
			return err
		}
		stopped, err = g.spread()
		return err
	})
	if err == errHalt || failed || stopped || g.full {
		return false, nil // what failed on the way is for walks to find
	}
	if err != nil {
		return false, err
	}
	critical := 0
	for at, s := range follow {
		if !g.dead(x, s) {
			critical = at + 1
		}
	}
	if critical == len(follow) {
		f.Critical = nil
		return true, nil
	}
	f.Proved, f.Critical = true, &Critical{Step: critical, Exact: true}
	if critical > 0 {
		f.Critical.Event = f.Path.Steps[critical-1].Event.What
	}
	f.Path.Set("critical", fmt.Sprint(critical)+exactly)
	return true, nil
}

// follow takes the run of a finding in the explorer's world, and keeps its
// states, one for each step: a run may be in a state twice.
func (x *explorer) follow(f *Finding) (states []uint32, err error) {
	answers := choose.NewRaw(picks(f.Path))
	x.r.allow(f.climate, x.w)
	x.w.Start(answers)
	for depth := 0; ; depth++ {
		if x.w.Bound() != "" {
			return nil, errHalt
		}
		x.w.Save(x.bank, x.to)
		x.pack(x.to)
		states = append(states, x.append(origin{}))
		if depth == len(f.Path.Steps) {
			return states, nil
		}
		progress := sim.Progress(0)
		if depth == f.climate.heal {
			progress = x.w.Heal(answers)
		} else {
			progress = x.w.Step(answers)
		}
		if progress != sim.Stepped {
			return nil, fmt.Errorf("macemc bug: search: a confirmed run could not be taken again: %w", x.w.Err())
		}
	}
}
