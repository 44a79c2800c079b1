package collections

import (
	"testing"

	"macemc/internal/long"
	"macemc/macetest"
	"macemc/refine"
	"macemc/sim"
	"macemc/systems/replicated"
	"macemc/trace"
)

func TestMain(m *testing.M) { long.Run(m) }

// The clients are checked over the abstraction, and with a little of each implementation.
func TestCollections(t *testing.T) {
	for _, params := range [][]string{
		{"of=table"}, {"of=list"}, {"through=dispatcher"}, {"over=chain", "commands=1"}, {"over=multipaxos", "clients=1"},
	} {
		macetest.Run(t, System, macetest.Options{Params: params})
	}
}

func TestBugs(t *testing.T) {
	dispatched := []string{"over=chain", "through=dispatcher"}
	for _, c := range []struct {
		bug    sim.BugID
		params []string
		down   string
		want   trace.Verdict
	}{
		{CL1, nil, "", trace.VerdictSafety},
		{CL2, []string{"of=list"}, "", trace.VerdictSafety},
		{CL3, []string{"of=list"}, "", trace.VerdictSafety},
		{CL4, dispatched, "down@n3", trace.VerdictDead},
		{CL5, []string{"through=dispatcher"}, "", trace.VerdictSafety},
		{CL6, dispatched, "down@n3", trace.VerdictUnhandled},
		{CL7, dispatched, "down@n3", trace.VerdictUnhandled},
		{CL8, []string{"over=multipaxos", "commands=1"}, "down@n2", trace.VerdictDead},
	} {
		t.Run(string(c.bug), func(t *testing.T) {
			faults := sim.Faults{}
			if c.down != "" {
				faults = sim.Faults{Down: 1, Only: c.down}
			}
			macetest.Run(t, System, macetest.Options{
				Bugs: []sim.BugID{c.bug}, Params: c.params, Conditions: sim.Conditions{Faults: &faults}, Expect: c.want, NoShrink: true,
			})
		})
	}
}

// Replication and the dispatcher do nothing that clients could not see of a single node, even if a replica
// fails.
func TestComposed(t *testing.T) {
	one, two := sim.Faults{Down: 1, Only: "down@n1+n2"}, sim.Faults{Down: 1, Only: "down@n2+n3"}
	for _, b := range []refine.Binding{
		{Over: replicated.Over, Settings: []string{"clients=1", "commands=1"}, Survives: map[string]sim.Faults{"chain": one, "multipaxos": one}},
		{Over: replicated.Over, Settings: []string{"commands=1"}, Survives: map[string]sim.Faults{"chain": two}},
		{Over: replicated.Through, Settings: []string{"over=chain"}, Survives: map[string]sim.Faults{"dispatcher": {Down: 1, Only: "down@n3+n4"}}},
	}[:long.Of(1, 3)] {
		b.System = System
		macetest.Compose(t, b, macetest.Options{})
	}
}
