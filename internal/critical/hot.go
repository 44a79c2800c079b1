package critical

import (
	"macemc/choose"
	"macemc/internal/search"
	"macemc/internal/wording"
	"macemc/sim"
	"macemc/trace"
)

// loopStates is the largest number of states that are visited to decide whether some run can be hot for ever
// after the steps of a shorter run.
const loopStates = 5_000

// heated analyzes a run that stays hot for ever. If shrink is set, it shortens the part before the cycle;
// then it finds the critical step. It returns a run unchanged that was found on the graph of a whole state
// space: such a run is as short as possible, and has its critical step.
func (b *bench) heated(f *search.Finding, shrink bool) (*Result, error) {
	found := f
	if f.Lasso == nil || f.Whole() {
		same := *f
		return &Result{Finding: &same}, nil
	}
	of, err := b.healed(f)
	if err != nil {
		return nil, err
	}
	if shrink {
		if of, found, err = b.shortest(of, f); err != nil {
			return nil, err
		}
	}
	known := *found
	if err := b.turns(of, &known); err != nil {
		return nil, err
	}
	if len(known.Path.Steps) < len(f.Path.Steps) {
		known.Shortened(f)
	}
	return &Result{Finding: &known, Stopped: b.spent(1)}, nil
}

// spent reports whether a part of the effort is spent, or the caller has asked to stop.
func (b *bench) spent(part float64) bool {
	return b.stopped() || b.opts.Effort > 0 && b.lab.Effort() > int(part*float64(b.opts.Effort))
}

// healed returns the part of the run before the environment heals or, if it never does, before the monitor
// becomes hot.
func (b *bench) healed(f *search.Finding) (*search.Case, error) {
	n := f.Lasso.Since
	for i, s := range f.Path.Steps {
		if wording.Identify(s.Event.What).Kind == sim.KindHeal {
			n = i
			break
		}
	}
	of, _, err := b.lab.TakeSome(f.Path.Start, f.Path.Steps[:n], false, false)
	return of, err
}

// shortest shortens the beginning of the run of f, given as a case. It removes stretches of steps, long ones
// first, as long as a run can still be hot for ever after the remaining steps.
func (b *bench) shortest(of *search.Case, f *search.Finding) (*search.Case, *search.Finding, error) {
	for size := max(1, of.Steps()/2); size > 0 && of.Steps() > 0; {
		shorter := false
		for from := 0; from < of.Steps() && !b.spent(shrinkPart); {
			steps := of.Path.Steps
			rest := append(append([]choose.Step{}, steps[:from]...), steps[min(len(steps), from+size):]...)
			c, _, err := b.lab.TakeSome(of.Path.Start, rest, false, true)
			if err != nil {
				return of, f, err
			}
			if c == nil || c.Failure != nil || c.Steps() >= of.Steps() {
				from += size
				continue
			}
			g, _, err := b.lab.Loop(c, f.Property, loopStates)
			if err != nil {
				return of, f, err
			}
			if g == nil || g.Verdict != trace.VerdictHot || len(g.Path.Steps) >= len(f.Path.Steps) {
				from += size
				continue
			}
			of, f, shorter = c, g, true
			b.tell(Progress{Doing: DoingShrink, High: len(f.Path.Steps), Of: of.Steps()})
		}
		if !shorter || size > of.Steps() {
			size /= 2
		}
	}
	return of, f, nil
}

func (b *bench) tell(p Progress) {
	if b.opts.Progress != nil {
		b.opts.Progress(p)
	}
}

// turns finds the critical step of a hot run, the last step before which every fair run would become cold
// after healing, and records it in f. of is the beginning of the run.
func (b *bench) turns(of *search.Case, f *search.Finding) error {
	exact, critical := true, max(f.Lasso.Since, of.Steps())
	for ; critical > f.Lasso.Since; critical-- { // the monitor is cold in the state before step Since
		if b.spent(1) {
			exact = false
			break
		}
		ever, whole, err := b.lab.Ever(of, critical-1, f.Property, loopStates)
		if err != nil {
			return err
		}
		if !ever {
			exact = whole
			break
		}
	}
	f.Turned(critical, exact)
	return nil
}
