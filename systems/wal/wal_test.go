package wal

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

// TestExhausted visits all states of a log that is shortened once, with two crashes anywhere, even in the
// middle of a step.
func TestExhausted(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"writes=3"}, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2}}})
}

// TestExhaustedWithWritesInAnyOrder does the same for a disk on which any unsynced writes may survive a crash.
func TestExhaustedWithWritesInAnyOrder(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"writes=3"}, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2}, DiskReorder: true}})
}
