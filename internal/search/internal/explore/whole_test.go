package explore

import "testing"

// TestHides: if a reduction only observes, liveness can be decided from the visited states. If it leaves steps out, that is
// not possible if there may be faults, or if a liveness property may see more than it declares.
func TestHides(t *testing.T) {
	for _, c := range []struct {
		of     *Reduction
		faults bool
		want   bool
	}{
		{nil, true, false},
		{&Reduction{Waits: true}, true, false},
		{&Reduction{Waits: true}, false, false},
		{&Reduction{Lively: true}, false, false},
		{&Reduction{Lively: true}, true, true},
		{&Reduction{}, false, true},
	} {
		if got := c.of.Hides(c.faults); got != c.want {
			t.Errorf("%+v, faults %v: it hides %v", c.of, c.faults, got)
		}
	}
}
