package chain

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestChain(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]trace.Verdict{
		CH1: trace.VerdictDead, CH2: trace.VerdictSafety, CH3: trace.VerdictSafety, CH4: trace.VerdictSafety,
		CH5: trace.VerdictDead, CH6: trace.VerdictUnhandled, CH7: trace.VerdictUnhandled, CH8: trace.VerdictDead,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
}
