package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/sim"
)

// TestDiffOfStates checks that lines with one path are compared as a multiset, and that Went removes changes in the
// memory of a node that went down.
func TestDiffOfStates(t *testing.T) {
	n0, n1 := state.AddrOf(0), state.AddrOf(1)
	line := func(part Part, node sim.Addr, path, value string) canon.Line {
		return canon.Line{Path: path, Value: value, Tag: Place{part, node}.Tag()}
	}
	a := []canon.Line{
		line(PartField, n0, "n0.x", "1"), line(PartTimer, n0, "n0 timer", "t"), line(PartTimer, n0, "n0 timer", "u"),
		line(PartField, n1, "n1.x", "7"), line(PartTask, n0, "n0 task", "v"), line(PartBudget, sim.Addr{}, "faults left", "crash=1"),
	}
	b := []canon.Line{
		line(PartField, n0, "n0.x", "2"), line(PartTimer, n0, "n0 timer", "u"),
		line(PartField, n1, "n1.x", "0"), line(PartTask, n0, "n0 task", "v"), line(PartTask, n0, "n0 task", "v"), line(PartUp, n1, "n1 is", "crashed"),
	}
	all := Diff(a, b)
	got := []string{}
	for _, d := range all {
		got = append(got, d.String())
	}
	want := []string{"n0.x: 1 | 2", "n0 timer: t | (absent)", "n1.x: 7 | 0", "faults left: crash=1 | (absent)", "n0 task: (absent) | v", "n1 is: (absent) | crashed"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	rest, down := Went(all)
	if len(rest) != 5 || fmt.Sprint(down) != "[n1]" || len(Without(b, down)) != 5 {
		t.Errorf("of %v went down: %v; the rest: %v", down, Without(b, down), rest)
	}
	if p := PlaceOf(a[5]); p != (Place{Part: PartBudget}) || PlaceOf(a[3]) != (Place{PartField, n1}) {
		t.Errorf("places: %v, %v", p, PlaceOf(a[3]))
	}
}

// TestDescribeSharedObjects checks that the text about a field that refers to another object names the fields that
// share the object, and the type to declare.
func TestDescribeSharedObjects(t *testing.T) {
	d := Difference{Path: "n0.Peer", A: "=.", B: "{1}", Of: Place{PartField, state.AddrOf(0)}}
	got := d.Describe(func(node sim.Addr, path string) string { return strings.Join([]string{node.String(), path}, "/") })
	want := `n0.Peer is shared with the node itself in one, and not shared ({1}) in the other; if a n0/Peer never changes once it is made, add "n0/Peer" to System.Immutable`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
