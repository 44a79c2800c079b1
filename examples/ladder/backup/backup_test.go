package backup

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestBackup(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// Each bug is found with the verdict that fits its kind.
func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]trace.Verdict{PB1: trace.VerdictSafety, PB2: trace.VerdictDead, PB3: trace.VerdictPanic} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want})
		})
	}
}
