package run

import (
	"runtime/debug"
	"testing"
)

// While Presses is in force, Go's runtime has a memory limit below the budget. Unpresses restores the limit that it
// had before.
func TestPresses(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	const budget = 1 << 40
	l := &Limits{Budget: budget}
	l.Presses()
	l.Presses()
	if now := debug.SetMemoryLimit(-1); now >= budget/10*9 || now < budget/2 {
		t.Errorf("the limit is %d, of a budget of %d", now, int64(budget))
	}
	l.Unpresses()
	l.Unpresses()
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("the limit is %d afterwards, and was %d", now, before)
	}
}

// While Spares is in force, garbage may take four times the memory of a small heap, and less of a large one. A
// percentage that the user has set is not changed.
func TestSpares(t *testing.T) {
	before := debug.SetGCPercent(garbageUsual)
	defer debug.SetGCPercent(before)
	rule := func() int {
		is := debug.SetGCPercent(garbageUsual)
		debug.SetGCPercent(is)
		return is
	}
	l := &Limits{}
	for range 2 {
		if l.Spares(); rule() != garbageMost {
			t.Errorf("of a small heap garbage may take %d percent", rule())
		}
		if l.Spends(); rule() != garbageUsual {
			t.Errorf("afterwards it may take %d percent", rule())
		}
	}
	debug.SetGCPercent(50)
	if l.Spares(); rule() != 50 {
		t.Errorf("the rule of somebody else became %d percent", rule())
	}
	for live, want := range map[int]int{0: 400, 4 << 20: 400, 16 << 20: 210, 32 << 20: 110, 64 << 20: 60, 1 << 30: 13, 1 << 40: 10} {
		if got := garbageOf(live); got != want {
			t.Errorf("of %d bytes garbage may take %d percent, want %d", live, got, want)
		}
	}
}
