package commit

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestCommit(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]trace.Verdict{
		CM1: trace.VerdictSafety, CM2: trace.VerdictUnhandled, CM3: trace.VerdictUnhandled, CM4: trace.VerdictUnhandled,
		CM5: trace.VerdictDead, CM6: trace.VerdictSafety, CM7: trace.VerdictUnhandled,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
}
