package transactions

import (
	"testing"

	"macemc/macetest"
	"macemc/refine"
	"macemc/sim"
	"macemc/systems/replicated"
	"macemc/trace"
)

// oneDown is the fault that one replica of a participant fails for good.
var oneDown = sim.Faults{Down: 1, Only: "down@n1+n2"}

func TestTransactions(t *testing.T) {
	macetest.Run(t, System, macetest.Options{})
	macetest.Run(t, System, macetest.Options{Params: []string{"over=chain"}, Conditions: sim.Conditions{Faults: &oneDown}})
}

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]trace.Verdict{TX1: trace.VerdictSafety, TX2: trace.VerdictSafety, TX7: trace.VerdictUnhandled} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
	for bug, want := range map[sim.BugID]trace.Verdict{TX3: trace.VerdictDead, TX4: trace.VerdictUnhandled, TX5: trace.VerdictUnhandled, TX6: trace.VerdictDead} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{
				Bugs: []sim.BugID{bug}, Params: []string{"over=chain"}, Expect: want, NoShrink: true, Conditions: sim.Conditions{Faults: &oneDown},
			})
		})
	}
}

// The replicated participants do nothing that the coordinator could not see of single nodes, even if a replica
// fails.
func TestComposed(t *testing.T) {
	macetest.Compose(t, refine.Binding{
		System: System, Over: replicated.Over, Settings: []string{"transactions=1", "participants=1"}, Survives: map[string]sim.Faults{"chain": oneDown},
	}, macetest.Options{})
}
