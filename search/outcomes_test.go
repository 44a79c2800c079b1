package search

import (
	"testing"

	"macemc/internal/canon"
)

// Of what outcomes did only that is told in which they differ.
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

// Of the lines in which the states of outcomes differ the first by name is told, whether it
// is in all of them or not.
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

// A clock is told from a generator of random numbers, as a number and as a moment.
func TestProbablyAClock(t *testing.T) {
	const clock = "it grows from run to run, as a clock does: ask env.Now, or set a timer by env.After"
	for _, values := range [][]string{
		{"17", "19", "30"},
		{"2026-11-21T07:47:19.1Z", `2026-11-21T07:47:19.2Z "Local" (monotonic 5)`, "2026-11-21T07:47:21Z"},
	} {
		var order []*cameTo
		for _, v := range values {
			order = append(order, &cameTo{state: []canon.Line{{Path: "n0.x", Value: v}}})
		}
		if got := probably(order, "n0.x", len(order)); got != clock {
			t.Errorf("of %q is said %q", values, got)
		}
		order[0], order[2] = order[2], order[0]
		if got := probably(order, "n0.x", len(order)); got == clock {
			t.Errorf("of %q backwards is said %q", values, got)
		}
	}
}
