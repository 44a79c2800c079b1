package macetest

import (
	"strings"
	"testing"
	"time"

	"macemc/internal/search"
	"macemc/sim"
)

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"macemc/systems/lock.TestLock":         "macemc/systems/lock",
		"macemc/systems/lock_test.TestLock":    "macemc/systems/lock",
		"example.com/a/b.c_test.TestX":         "example.com/a/b",
		"example.com/a/lock.TestLock.func1":    "example.com/a/lock",
		"main.TestX":                           ".",
		"main_test.TestX":                      ".",
		"macemc/systems/lock.(*suite).TestOne": "macemc/systems/lock",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("packageOf(%q) is %q, want %q", function, got, want)
		}
	}
}

// TestHonoured checks that a search of programs returns an error for each field of Options that it does not use, which
// names the field.
func TestHonoured(t *testing.T) {
	sys := &sim.System{Name: "two"}
	zero := 0
	for name, o := range map[string]Options{
		"":            {Nodes: 3, Walks: 10, Walking: "swarm", Seed: 2, NoShrink: true, Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 1}}},
		"WalkSteps":   {WalkSteps: 1},
		"WalkLeast":   {WalkLeast: 1},
		"Transitions": {Transitions: 1},
		"Memory":      {Memory: 1},
		"Ignore":      {Ignore: []string{"verdict=dead"}},
		"Early":       {Conditions: sim.Conditions{Early: &zero}},
		"FreeTimers":  {Conditions: sim.Conditions{FreeTimers: true}},
	} {
		err := o.honoured(sys)
		if (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), "Options."+name+" is not for it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// until is a testing.TB with a deadline.
type until struct {
	testing.TB
	end time.Time
}

func (u until) Deadline() (time.Time, bool) { return u.end, !u.end.IsZero() }

// TestDeadline checks that a search ends before the test's deadline, and that it is not limited without one.
func TestDeadline(t *testing.T) {
	if stop := deadline(until{t, time.Time{}}); stop != nil {
		t.Error("a test without a deadline has one")
	}
	if stop := deadline(until{t, time.Now().Add(time.Hour)}); stop() != "" {
		t.Error("a search with an hour left stops")
	}
	if stop := deadline(until{t, time.Now().Add(time.Second / 2)}); stop() != search.StopTime {
		t.Error("a search does not stop although no time is left to report")
	}
}

// TestScale checks that the scale multiplies defaults only, and not the transitions of a search that a depth bounds.
func TestScale(t *testing.T) {
	sys := &sim.System{Name: "none", Doc: "Nothing.", New: func(sim.Params, sim.Addr) sim.Node { return nil }}
	t.Setenv("MACETEST_SCALE", "")
	t.Setenv("MACETEST_SEED", "")
	check := func(o Options, short bool, effort, walks int, seed uint64) {
		t.Helper()
		got, err := o.search(sys, short)
		if err != nil || got.Effort != effort || got.Walks != walks || got.Seed != seed {
			t.Errorf("%d transitions, %d walks, seed %d, %v; want %d, %d, %d", got.Effort, got.Walks, got.Seed, err, effort, walks, seed)
		}
	}
	check(Options{}, false, 30_000, 300, 0)
	check(Options{Seed: 3}, true, 3_000, 30, 3)
	t.Setenv("MACETEST_SCALE", "2.5")
	t.Setenv("MACETEST_SEED", "9")
	check(Options{Walks: 10}, true, 75_000, 25, 9)
	check(Options{Transitions: 1, Seed: 3}, false, 3, 750, 9)
}
