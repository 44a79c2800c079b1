package commit

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

func TestCommit(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]sim.Verdict{
		CM1: sim.VerdictSafety, CM2: sim.VerdictUnhandled, CM3: sim.VerdictUnhandled, CM4: sim.VerdictUnhandled,
		CM5: sim.VerdictDead, CM6: sim.VerdictSafety, CM7: sim.VerdictUnhandled,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
}
