package decide

import "macemc/sim"

// Deviates is the first step of a run that no correct run takes. If known bugs are switched on, it is
// the first step that differs when they are off. Otherwise it is known only from fresh walks from the
// start: none of the walks that kept the property took that step at a node in the same state. It often
// shows the mistake of the service, while the critical step is only the last race that could have gone
// well.
type Deviates struct {
	Step      int // 0 if they begin differently; without a known bug, if walks do not show a step
	Event     string
	Without   []sim.BugID // by these known bugs, which are switched on: no walk was taken
	Kept      int         // walks that kept the promise; none of them did it
	Broke     int         // and that broke it
	Did       int         // how many of them did it
	WalkSteps int
	Harmless  bool // Step 0: each step before it was too late was taken by walks that kept the promise, too
}

// Did says of walks, which went on without a failure or met one, in how many of
// either each step of a run was taken, too.
type Did struct {
	AllKept, AllBroke int
	Kept, Broke       []int // by step
}

const (
	deviateRounds = 4     // of walks at the most
	deviateEnough = 30    // of either kind
	deviateMost   = 1_000 // steps of a run that is compared
)

// deviates compares a failing run with fresh walks from its start. A step that no good walk
// takes may merely be rare, so it counts only if failing walks take it clearly more often.
// The result is nil if it was not asked for.
func (p *Finder) deviates(c *Critical) (*Deviates, error) {
	n := p.run.Steps()
	if step, bugs, err := p.lab.Without(); err != nil {
		return nil, err
	} else if len(bugs) > 0 {
		d := &Deviates{Step: step, Without: bugs}
		if step > 0 {
			d.Event = p.run.Events[step-1]
		}
		return d, nil
	}
	if n < 2 || n > deviateMost || p.opts.Effort < 0 {
		return nil, nil
	}
	all := &Did{Kept: make([]int, n), Broke: make([]int, n)}
	steps := max(p.walkLen, n)
	for round := range uint16(deviateRounds) {
		if p.Stopped(1) {
			return nil, ErrStopped
		}
		d, err := p.lab.Did(Walks{Count: weighing * p.opts.Walks, Steps: steps, Salt: saltDid + round, All: true, Survive: true})
		if err != nil {
			return nil, err
		}
		all.AllKept, all.AllBroke = all.AllKept+d.AllKept, all.AllBroke+d.AllBroke
		for i := range n {
			all.Kept[i] += d.Kept[i]
			all.Broke[i] += d.Broke[i]
		}
		if min(all.AllKept, all.AllBroke) >= deviateEnough {
			break
		}
	}
	end := n - 1 // the last step is the failure itself
	if c != nil && c.Exact {
		end = min(end, c.Step-1)
	}
	harmless := true
	for i := range end {
		harmless = harmless && all.Kept[i] > 0
		if all.Kept[i] == 0 && fisher(all.Broke[i], all.AllBroke, 0, all.AllKept) < clearBelow/float64(n) { // one of that many steps is chosen
			return &Deviates{Step: i + 1, Event: p.run.Events[i], Kept: all.AllKept, Broke: all.AllBroke, Did: all.Broke[i], WalkSteps: steps}, nil
		}
	}
	return &Deviates{Kept: all.AllKept, Broke: all.AllBroke, WalkSteps: steps, Harmless: harmless}, nil
}
