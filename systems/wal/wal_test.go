package wal

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

// TestExhausted visits all that two crashes, anywhere in a step, can do to a log
// that is made short once.
func TestExhausted(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"writes=3"}, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2}}})
}

// TestExhaustedWithWritesInAnyOrder is the same for a disk that keeps no order.
func TestExhaustedWithWritesInAnyOrder(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"writes=3"}, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 2}, DiskReorder: true}})
}
