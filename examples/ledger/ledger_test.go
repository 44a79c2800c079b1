package ledger

import (
	"os"
	"testing"

	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

// TestMain makes a test take 60 runs if neither MACETEST_SCALE nor -macetest.scale gives a number.
func TestMain(m *testing.M) {
	if os.Getenv("MACETEST_SCALE") == "" {
		os.Setenv("MACETEST_SCALE", "0.06")
	}
	os.Exit(m.Run())
}

func TestLedger(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// Two servers hold the lease, since their clocks drift.
func TestDrift(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{LD6}, Walks: 8000, Expect: trace.VerdictSafety})
}

// A deposit is counted twice.
func TestTwice(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{LD2}, Expect: trace.VerdictSafety})
}
