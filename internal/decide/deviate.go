package decide

import "macemc/sim"

// Deviates is the first step at which a run does what no run does that keeps the
// promise. Where known bugs are switched on, it is the first at which the service does
// otherwise than with them off. Else it is that so far as fresh walks from the start can
// tell: the same node, keeping the same, at the same event. It often names what the
// service does wrong, where the critical step is the last race that could have gone well.
type Deviates struct {
	Step      int // 0 means they begin otherwise; without a known bug, no walk tells it
	Event     string
	Without   []sim.BugID // by these known bugs, which are switched on: no walk was taken
	Kept      int         // walks that kept the promise; none of them did it
	Broke     int         // and that broke it
	Did       int         // of which so many did it
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

// deviates compares a run that fails with fresh walks from its start. What no walk does may
// be rare only: it is told where those that fail do it clearly more often. If it is nil,
// that is not asked.
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
		if all.Kept[i] == 0 && fisher(all.Broke[i], all.AllBroke, 0, all.AllKept) < clearBelow/float64(n) { // of so many steps one is chosen
			return &Deviates{Step: i + 1, Event: p.run.Events[i], Kept: all.AllKept, Broke: all.AllBroke, Did: all.Broke[i], WalkSteps: steps}, nil
		}
	}
	return &Deviates{Kept: all.AllKept, Broke: all.AllBroke, WalkSteps: steps, Harmless: harmless}, nil
}
