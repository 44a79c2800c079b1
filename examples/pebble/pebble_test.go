package pebble

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

var anyOrder = sim.Conditions{DiskReorder: true}

// With two crashes, and sectors that are written in any order, nothing is found, and every state is visited.
func TestNothingIsLost(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Conditions: anyOrder})
}

// A driver that syncs too late is found, so the property notices lost records.
func TestSyncedTooLate(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Conditions: anyOrder, Bugs: []sim.BugID{PB1}, Expect: trace.VerdictSafety, NoShrink: true})
}
