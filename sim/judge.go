package sim

import "slices"

// Check is the first safety property that does not hold now, if any.
func (w *World) Check() *Failure {
	if w.failure != nil {
		return w.failure
	}
	if w.disturbed {
		if w.failure = w.checkTCP(); w.failure != nil {
			return w.failure
		}
	}
	for k := range w.always {
		if !w.always[k].holds() {
			w.failure = w.unsafe(&w.always[k])
			return w.failure
		}
	}
	return nil
}

func (w *World) unsafe(c *stateCheck) *Failure {
	f := w.fail(VerdictSafety, c.name, "")
	f.Message = c.explained()
	return f
}

// CanBeLive reports whether there is a liveness property to decide.
func (w *World) CanBeLive() bool { return len(w.eventually) > 0 }

// Live reports whether all liveness properties hold now, and the state counts.
// A state in which a crashed node has yet to restart is not live.
func (w *World) Live() bool {
	if w.away > 0 {
		return false
	}
	for k := range w.eventually {
		holds := w.eventually[k].holds()
		if w.cover != nil {
			w.cover.eventually[k].lively(w, holds)
		}
		if !holds {
			return false
		}
	}
	return w.Assumed()
}

// NotLive are the liveness properties that do not hold now, with what they
// say of it.
func (w *World) NotLive() (names, explanations []string) {
	for _, c := range w.eventually {
		holds, panicked := c.asked()
		if holds {
			continue
		}
		names = append(names, c.name)
		if panicked == "" {
			panicked = c.explained()
		}
		if panicked != "" || c.explain != nil {
			explanations = append(explanations, panicked)
		}
	}
	return names, explanations
}

// Assumed reports whether the state counts for liveness.
func (w *World) Assumed() bool {
	holds := w.assume.holds == nil || w.assume.holds()
	if w.cover != nil {
		w.cover.assume.saw(holds)
	}
	return holds
}

// Within reports whether the exhaustive search goes on from here.
func (w *World) Within() bool {
	holds := w.within.holds == nil || w.within.holds()
	if w.cover != nil {
		w.cover.within.saw(holds)
	}
	return holds
}

// StepChecks are the step properties, bound to a world at the state before
// and a world at the state after a step.
func StepChecks(before, after *World, only []string) *Transition {
	t := &Transition{after: after}
	for _, p := range after.sys.Properties {
		if p.kind == propertySteps && (len(only) == 0 || slices.Contains(only, p.Name)) {
			c := p.step(before, after)
			if after.audit.on {
				after.auditCheck(&c, "property")
			}
			t.checks = append(t.checks, c)
		}
	}
	return t
}

// Transition checks the step properties of one step after another.
type Transition struct {
	after  *World
	checks []stateCheck
}

// Any reports whether there is something to check.
func (t *Transition) Any() bool { return len(t.checks) > 0 }

// Check is the first step property that does not hold, if any.
func (t *Transition) Check() *Failure {
	for k := range t.checks {
		if !t.checks[k].holds() {
			return t.after.unsafe(&t.checks[k])
		}
	}
	return nil
}
