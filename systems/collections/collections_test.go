package collections

import (
	"testing"

	"macemc/macetest"
	"macemc/refine"
	"macemc/sim"
)

// The clients are checked over the abstraction, and with a little of the implementation.
func TestCollections(t *testing.T) {
	for _, params := range [][]string{{"of=table"}, {"of=list"}, {"over=chain", "commands=1"}} {
		macetest.Run(t, System, macetest.Options{Params: params})
	}
}

func TestBugs(t *testing.T) {
	for bug, of := range map[sim.BugID]string{CL1: "table", CL2: "list", CL3: "list"} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Params: []string{"of=" + of}, Expect: sim.VerdictSafety, NoShrink: true})
		})
	}
}

// Chain replication does nothing that clients could not see of a single node, though a replica fails.
func TestComposed(t *testing.T) {
	macetest.Compose(t, refine.Binding{
		System: System, Over: Over, Settings: []string{"commands=1"}, Survives: map[string]sim.Faults{"chain": sim.Faults{Down: 1, Only: "down@n2+n3"}},
	}, macetest.Options{})
}
