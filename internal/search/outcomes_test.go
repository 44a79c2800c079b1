package search

import (
	"strings"
	"testing"

	"macemc/internal/canon"
)

// If two outcomes of a step have different effects, only the effects that differ are shown.
func TestOutcomesApart(t *testing.T) {
	for _, c := range []struct{ did, want [2][]string }{
		{[2][]string{{"a", "b", "z"}, {"a", "c", "z"}}, [2][]string{{"...; b; ..."}, {"...; c; ..."}}},
		{[2][]string{{"a", "b"}, {"b", "a"}}, [2][]string{{"a; b"}, {"b; a"}}},
		{[2][]string{{"a", "a"}, {"a"}}, [2][]string{{"...; a"}, {""}}},
		{[2][]string{nil, {"a"}}, [2][]string{{""}, {"a"}}},
		{[2][]string{{"a"}, {"a"}}, [2][]string{{""}, {""}}},
	} {
		told := map[canon.Hash]*cameTo{canon.OfString("one"): {did: c.did[0]}, canon.OfString("other"): {did: c.did[1]}}
		before, after := alike(told)
		for i := range c.did {
			if got := apart(c.did[i], before, after); got != c.want[i][0] {
				t.Errorf("of %q is told %q, want %q", c.did, got, c.want[i][0])
			}
		}
	}
}

// If two outcomes lead to different states, the first line by name in which these differ is
// shown, even if only one of them has it.
func TestOutcomesDiffer(t *testing.T) {
	lines := func(of ...string) (all []canon.Line) {
		for i := 0; i < len(of); i += 2 {
			all = append(all, canon.Line{Path: of[i], Value: of[i+1]})
		}
		return all
	}
	for _, c := range []struct {
		a, b []canon.Line
		want string
	}{
		{lines("n0.a", "1", "n0.b", "2"), lines("n0.a", "1", "n0.b", "3"), "n0.b"},
		{lines("n0.b", "2", "n0.a", "1"), lines("n0.b", "3", "n0.a", "2"), "n0.a"},
		{lines("n0.a", "1", "n0.b", "2"), lines("n0.a", "2", "n0.b", "3"), "n0.a"},
		{lines("n0.a", "1"), lines("n0.a", "1"), ""},
		{lines("n0.a", "1"), nil, ""},
	} {
		told := map[canon.Hash]*cameTo{canon.OfString("one"): {state: c.a}, canon.OfString("other"): {state: c.b}}
		if got := differing(told); got != c.want {
			t.Errorf("%v and %v differ in %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// The report of a value that differs names the probable cause, by how the value changes from run to run.
func TestOutcomesNameTheirProbableCause(t *testing.T) {
	const counts, clock, random, few = "it counts", "it grows", "it is never the same", "a few outcomes"
	for _, c := range []struct {
		values   []string
		outcomes int
		want     string
	}{
		{[]string{"17", "18", "19"}, 3, counts},
		{[]string{"17", "15", "13"}, 3, counts},
		{[]string{"17", "19", "30"}, 3, clock},
		{[]string{"30", "19", "17"}, 3, random},
		{[]string{"17", "30", "19"}, 3, random},
		{[]string{"30", "17", "19", "20"}, 4, random},
		{[]string{"2026-11-21T07:47:19.1Z", `2026-11-21T07:47:19.2Z "Local" (monotonic 5)`, "2026-11-21T07:47:21Z"}, 3, clock},
		{[]string{"2026-11-21T07:47:21Z", `2026-11-21T07:47:19.2Z "Local" (monotonic 5)`, "2026-11-21T07:47:19.1Z"}, 3, random},
		{[]string{"a", "b", "c"}, 3, random},
		{[]string{"1", "2", "c"}, 3, random},
		{[]string{"a", "b", "a", "b"}, 2, few},
		{[]string{"1", "2", "1", "2"}, 2, few},
		{[]string{"1", "1", "1"}, 1, ""},
		{[]string{"a", "a", "a"}, 1, ""},
	} {
		var order []*cameTo
		for _, v := range c.values {
			order = append(order, &cameTo{state: []canon.Line{{Path: "n0.x", Value: v}}})
		}
		got := probably(order, "n0.x", c.outcomes)
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("of %q, %d outcomes, is said %q, want %q", c.values, c.outcomes, got, c.want)
		}
	}
}
