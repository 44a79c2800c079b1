package election

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

func TestElection(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]sim.Verdict{
		EL1: sim.VerdictSafety, EL2: sim.VerdictDead, EL3: sim.VerdictDead, EL4: sim.VerdictDead,
		EL5: sim.VerdictUnhandled, EL6: sim.VerdictUnhandled, EL7: sim.VerdictUnhandled,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want})
		})
	}
}
