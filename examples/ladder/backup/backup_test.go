package backup

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

func TestBackup(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// Each bug is found, as what it is.
func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]sim.Verdict{PB1: sim.VerdictSafety, PB2: sim.VerdictDead, PB3: sim.VerdictPanic} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want})
		})
	}
}
