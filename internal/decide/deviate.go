package decide

import "macemc/sim"

// Deviates is the first step of a failing run that no correct run takes. If known bugs are switched on, it is
// the first step that differs from the run without them. Otherwise it is derived from fresh walks from the
// start: none of the walks that kept the property took that step at a node in the same state. It often shows
// the mistake of the service, while the critical step is only the last race that could have gone well.
type Deviates struct {
	Step      int // with known bugs, 0 if the runs begin differently; otherwise 0 if walks do not show a step
	Event     string
	Without   []sim.BugID // the known bugs that are switched on, if the step was found without walks by switching them off
	Kept      int         // the number of walks that kept the property, none of which took the step
	Broke     int         // the number of walks that broke it
	Did       int         // how many of those that broke it took the step
	WalkSteps int
	Harmless  bool // if Step is 0: walks that kept the property took each step that was compared, too
}

// Did counts, for each step of a run, the fresh walks that took the same step: those that went on without a
// failure (Kept), and those that met one (Broke).
type Did struct {
	AllKept, AllBroke int
	Kept, Broke       []int // by step
}

func (d *Did) add(o *Did) {
	d.AllKept, d.AllBroke = d.AllKept+o.AllKept, d.AllBroke+o.AllBroke
	for i := range d.Kept {
		d.Kept[i] += o.Kept[i]
		d.Broke[i] += o.Broke[i]
	}
}

const (
	deviateRounds = 4     // the largest number of rounds of walks
	deviateEnough = 30    // how many walks that keep the property, and how many that break it, suffice
	deviateMost   = 1_000 // the largest number of steps of a run that are compared
)

// deviates finds the first step of a failing run that no correct run takes, by fresh walks from its start or
// by switching known bugs off. A step that no good walk takes may just be rare, so it counts only if failing
// walks take it clearly more often. The result is nil if there is nothing to compare.
func (p *Finder) deviates(c *Critical) (*Deviates, error) {
	n := p.run.Steps()
	if step, bugs, err := p.lab.Without(); err != nil {
		return nil, err
	} else if len(bugs) > 0 {
		return &Deviates{Step: step, Event: p.run.event(step), Without: bugs}, nil
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
		all.add(d)
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
		if all.Kept[i] == 0 && fisher(all.Broke[i], all.AllBroke, 0, all.AllKept) < clearBelow/float64(n) { // a bound for all n steps together, since the first that is below it is chosen
			return &Deviates{Step: i + 1, Event: p.run.Events[i], Kept: all.AllKept, Broke: all.AllBroke, Did: all.Broke[i], WalkSteps: steps}, nil
		}
	}
	return &Deviates{Kept: all.AllKept, Broke: all.AllBroke, WalkSteps: steps, Harmless: harmless}, nil
}
