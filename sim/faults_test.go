package sim

import (
	"slices"
	"testing"

	"macemc/internal/kinds"
)

// The parsers read what the String methods of budgets and settings write.
func TestFaultBudgetsRoundTrip(t *testing.T) {
	for i, of := range budgets {
		var f Faults
		*of(&f) = i + 1
		if i%2 == 1 {
			*of(&f) = Unlimited
		}
		if back, err := ParseFaults(f.String()); back != f || err != nil {
			t.Errorf("%s: %v, %v", f, back, err)
		}
	}
	if back, err := ParseFaults(Faults{}.String()); !back.IsZero() || err != nil {
		t.Errorf("none: %v, %v", back, err)
	}
	if names := kinds.Budgets; len(names) != len(budgets) || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("the %d budgets have the names %v", len(budgets), names)
	}
}
