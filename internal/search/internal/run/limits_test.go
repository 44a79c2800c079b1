package run

import (
	"runtime/debug"
	"testing"
)

// While a search presses, Go's runtime has a limit below the budget, and afterwards the one that it had before.
func TestPresses(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	const budget = 1 << 40
	l := &Limits{Budget: budget}
	l.Presses()
	l.Presses()
	if now := debug.SetMemoryLimit(-1); now >= budget/10*9 || now < budget/2 {
		t.Errorf("the limit is %d, of a budget of %d", now, int64(budget))
	}
	l.Unpresses()
	l.Unpresses()
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("the limit is %d afterwards, and was %d", now, before)
	}
}
