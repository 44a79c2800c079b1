package rawal

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

// If sectors are written in any order, an entry is accepted of which a part was never written.
func TestFindsTheTornEntry(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Conditions: sim.Conditions{DiskReorder: true}, Transitions: 60_000, Expect: trace.VerdictSafety, NoShrink: true})
}

// If sectors are written in their order, nothing is found.
func TestSectorsInOrder(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Depth: 4, Walks: 50})
}

// With one crash nothing is found, in whatever order sectors are written.
func TestOneCrash(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}, DiskReorder: true}, Depth: 4, Walks: 50})
}
