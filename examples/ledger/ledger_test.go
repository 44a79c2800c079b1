package ledger

import (
	"os"
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

// TestMain lets a test take 60 runs where neither MACETEST_SCALE nor -macetest.scale says how many.
func TestMain(m *testing.M) {
	if os.Getenv("MACETEST_SCALE") == "" {
		os.Setenv("MACETEST_SCALE", "0.06")
	}
	os.Exit(m.Run())
}

func TestLedger(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// A deposit is counted twice.
func TestTwice(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{LD2}, Expect: sim.VerdictSafety})
}
