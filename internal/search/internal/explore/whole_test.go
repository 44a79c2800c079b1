package explore

import "testing"

// A reduction that only observes hides nothing of liveness. One that leaves steps out hides it where faults are possible,
// and where a property of liveness sees more than it declares.
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
