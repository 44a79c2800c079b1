package leveldb

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

var anyOrder = sim.Conditions{DiskReorder: true}

// Two crashes, sectors in any order: nothing is found, and every state is visited.
func TestNothingIsLost(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Conditions: anyOrder})
}

// A driver that syncs too late is found, so the property sees what it is for.
func TestSyncedTooLate(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Conditions: anyOrder, Bugs: []sim.BugID{LV1}, Expect: trace.VerdictSafety, NoShrink: true})
}
