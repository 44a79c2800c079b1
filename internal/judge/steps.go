package judge

import (
	"slices"

	"macemc/internal/contract"
	"macemc/internal/sight"
	"macemc/sim"
)

// Steps evaluates step properties: properties of the states before and after a step.
type Steps struct {
	judge  *Judge
	checks []sight.Check
}

// Steps returns the step properties of sys whose names are in only, or all of them if only is empty. They see
// the state before a step in before, and the state after it in the state that j sees.
func (j *Judge) Steps(sys *sim.System, only []string, before *sight.State) *Steps {
	t := &Steps{judge: j}
	for _, p := range sys.Properties {
		if contract.Rule(p).Kind == sight.RuleSteps && (len(only) == 0 || slices.Contains(only, p.Name)) {
			c := contract.Rule(p).Step(before, j.sees)
			if j.wrap != nil {
				c = j.wrap(c, "property")
			}
			t.checks = append(t.checks, c)
		}
	}
	return t
}

// Any reports whether there are step properties to check.
func (t *Steps) Any() bool { return len(t.checks) > 0 }

// Unsafe returns the first step property that does not hold, or nil.
func (t *Steps) Unsafe() *sight.Check {
	for k := range t.checks {
		if !t.judge.ask(&t.checks[k]) {
			return &t.checks[k]
		}
	}
	return nil
}

// Look makes the properties see the present contents of before, the state before a step.
func (t *Steps) Look() {
	for k := range t.checks {
		t.checks[k].Seen()
	}
}
