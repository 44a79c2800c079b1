package swim

import (
	"testing"

	"macemc/internal/long"
	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

// TestSwim searches the correct protocol for a while.
func TestSwim(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// TestKnownBugs checks that the default search finds each known bug with the verdict that its story implies.
func TestKnownBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]trace.Verdict{
		SM1: trace.VerdictDead, SM2: trace.VerdictSafety, SM3: trace.VerdictSafety, SM4: trace.VerdictSafety, SM5: trace.VerdictDead,
	} {
		t.Run(string(bug), func(t *testing.T) {
			if bug == SM1 && !*long.On {
				t.Skip("it takes 10 s: the walks that it is decided by are long")
			}
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
}
