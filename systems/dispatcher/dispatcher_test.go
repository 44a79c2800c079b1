package dispatcher

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

func TestDispatcher(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]sim.Verdict{
		DP1: sim.VerdictHot, DP2: sim.VerdictSafety, DP3: sim.VerdictSafety, DP4: sim.VerdictSafety,
		DP5: sim.VerdictSafety, DP6: sim.VerdictDead, DP7: sim.VerdictUnhandled, DP8: sim.VerdictUnhandled,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
}

// What DP1 does cannot be said with Eventually: walks always come to an answer.
func TestEventuallyIsNotEnough(t *testing.T) {
	only := *System
	only.Properties = only.Properties[:3]
	macetest.Run(t, &only, macetest.Options{Bugs: []sim.BugID{DP1}})
}
