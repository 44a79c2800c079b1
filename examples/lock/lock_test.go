package lock

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestLock(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// Without the known bug nothing is found, and with it its failure is. So the properties
// notice what they are for.
func TestAskedTwice(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{LK1}, Expect: trace.VerdictDead})
}
