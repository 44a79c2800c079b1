package transactions

import (
	"testing"

	"macemc/macetest"
	"macemc/refine"
	"macemc/sim"
	"macemc/systems/replicated"
)

// oneDown is a replica of a participant that fails.
var oneDown = sim.Faults{Down: 1, Only: "down@n1+n2"}

func TestTransactions(t *testing.T) {
	macetest.Run(t, System, macetest.Options{})
	macetest.Run(t, System, macetest.Options{Params: []string{"over=chain"}, Conditions: sim.Conditions{Faults: &oneDown}})
}

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]sim.Verdict{TX1: sim.VerdictSafety, TX2: sim.VerdictSafety, TX7: sim.VerdictUnhandled} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want, NoShrink: true})
		})
	}
	for bug, want := range map[sim.BugID]sim.Verdict{TX3: sim.VerdictDead, TX4: sim.VerdictUnhandled, TX5: sim.VerdictUnhandled, TX6: sim.VerdictDead} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{
				Bugs: []sim.BugID{bug}, Params: []string{"over=chain"}, Expect: want, NoShrink: true, Conditions: sim.Conditions{Faults: &oneDown},
			})
		})
	}
}

// The coordinator sees nothing of replication that it could not see of a single node, though a replica fails.
func TestComposed(t *testing.T) {
	macetest.Compose(t, refine.Binding{
		System: System, Over: replicated.Over, Settings: []string{"transactions=1", "participants=1"}, Survives: map[string]sim.Faults{"chain": oneDown},
	}, macetest.Options{})
}
