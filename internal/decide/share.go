package decide

import "math"

// Share counts how many of some fresh walks from a state of a run recovered. It also estimates the
// probability that another walk does: between Low and High, which holds for 95 of 100 such samples.
type Share struct {
	At        int // the number of steps to the state
	Walks     int
	WalkSteps int // a walk that has not recovered after this many steps counts as one that does not
	Well      int // how many walks recovered
	Low, High float64
}

// Share takes walks from the state after a step of the run, the one with number at; each walk takes at most the
// given number of steps. A walk recovers if it becomes live or, with survive, if it takes all of its steps without
// a failure; none does from the end of a run that fails. These walks are independent of those that chose the
// critical step.
func (p *Finder) Share(at, walks, steps int, survive bool) (Share, error) {
	well := 0
	if !(p.run.Failed && at >= p.run.Steps()) {
		if p.Stopped(1) {
			return Share{}, ErrStopped
		}
		w, err := p.lab.Walk(Walks{From: at, Count: walks, Steps: steps, Salt: saltCurve, All: true, Survive: survive})
		if err != nil {
			return Share{}, err
		}
		well = len(w.Success)
		p.Note(at, w.Failed)
	}
	low, high := Interval(well, walks)
	return Share{at, walks, steps, well, low, high}, nil
}

// Interval returns Wilson's interval, with 95 % confidence, for the probability of an event that happened in
// well of a number of trials. Unlike the simplest interval, it is useful even if the event happened in all
// trials, or in none.
func Interval(well, trials int) (low, high float64) {
	const z = 1.959964
	n, p := float64(trials), float64(well)/float64(trials)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = max(0, middle-half), min(1, middle+half)
	if well == 0 {
		low = 0
	}
	if well == trials {
		high = 1
	}
	return low, high
}
