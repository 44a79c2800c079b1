package observe

import (
	"testing"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/sim"
)

// TestCompared checks that the times of a comparison are described by the fields that hold them in the node.
func TestCompared(t *testing.T) {
	n0, n1 := state.AddrOf(0), state.AddrOf(1)
	before := []canon.Line{
		{Path: "n0.until", Value: "t1-3s", Tag: Place{PartField, n0}.Tag()},
		{Path: "n0.name", Value: `"t9"`, Tag: Place{PartField, n0}.Tag()},
		{Path: "n0 timer", Value: "again{}, due t2", Tag: Place{PartTimer, n0}.Tag()},
		{Path: "n0 clock", Value: "t1 <= last", Tag: Place{PartClock, n0}.Tag()},
		{Path: "n1.asked", Value: "t3", Tag: Place{PartField, n1}.Tag()},
	}
	for _, c := range []struct {
		node        sim.Addr
		asked, want string
	}{
		{n0, "t4 before t1: yes", "t4 was read in this step, t1 is kept in until"},
		{n0, "t2 before last+5s", "t2 is when the timer again{} is due"},
		{n0, "t3 before t3+1s", "t3 was read in this step"},
		{n1, "t1 before t3: no", "t1 was read in this step, t3 is kept in asked"},
		{n0, "who is before t1", ""},
	} {
		if got := Compared(c.asked, c.node, before); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.asked, c.node, got, c.want)
		}
	}
}
