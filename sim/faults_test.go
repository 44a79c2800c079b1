package sim

import (
	"slices"
	"testing"
)

// The parsers read what the String methods of budgets and settings write.
func TestFaultBudgetsRoundTrip(t *testing.T) {
	for i, b := range budgets {
		var f Faults
		*b.of(&f) = i + 1
		if i%2 == 1 {
			*b.of(&f) = Unlimited
		}
		if back, err := ParseFaults(f.String()); back != f || err != nil {
			t.Errorf("%s: %v, %v", f, back, err)
		}
	}
	if back, err := ParseFaults(Faults{}.String()); !back.IsZero() || err != nil {
		t.Errorf("none: %v, %v", back, err)
	}
	for _, n := range []Network{{TCPBuffer: 3}, {UDPCapacity: 2}, {TCPBuffer: 1, UDPCapacity: 9}} {
		if back, err := ParseNetwork(n.String()); back.String() != n.String() || err != nil {
			t.Errorf("%s: %v, %v", n, back, err)
		}
	}
	names := []string{}
	for _, b := range budgets {
		names = append(names, b.name)
	}
	if !slices.Equal(slices.Compact(slices.Sorted(slices.Values(names))), slices.Sorted(slices.Values(names))) {
		t.Errorf("two budgets have one name: %v", names)
	}
}
