package dispatcher

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestDispatcher(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]trace.Verdict{
		DP1: trace.VerdictHot, DP2: trace.VerdictSafety, DP3: trace.VerdictSafety, DP4: trace.VerdictSafety,
		DP5: trace.VerdictSafety, DP6: trace.VerdictDead, DP7: trace.VerdictUnhandled, DP8: trace.VerdictUnhandled,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
}

// Eventually cannot express what DP1 breaks: with it every walk still gets an answer in the end.
func TestEventuallyIsNotEnough(t *testing.T) {
	only := *System
	only.Properties = only.Properties[:3]
	macetest.Run(t, &only, macetest.Options{Bugs: []sim.BugID{DP1}})
}
