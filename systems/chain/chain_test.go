package chain

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

func TestChain(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]sim.Verdict{
		CH1: sim.VerdictDead, CH2: sim.VerdictSafety, CH3: sim.VerdictSafety, CH4: sim.VerdictSafety,
		CH5: sim.VerdictDead, CH6: sim.VerdictUnhandled, CH7: sim.VerdictUnhandled, CH8: sim.VerdictDead,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
}
