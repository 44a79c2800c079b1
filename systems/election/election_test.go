package election

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestElection(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]trace.Verdict{
		EL1: trace.VerdictSafety, EL2: trace.VerdictDead, EL3: trace.VerdictDead, EL4: trace.VerdictDead,
		EL5: trace.VerdictUnhandled, EL6: trace.VerdictUnhandled, EL7: trace.VerdictUnhandled,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want})
		})
	}
}
