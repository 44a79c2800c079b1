package lock

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestLock(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// Without the known bug nothing is found, and with it what it does: so the
// properties see what they are for.
func TestAskedTwice(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{LK1}, Expect: trace.VerdictDead})
}
