package mdb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"macemc/systems/jointree"
)

// What is found going forth and going back is what a list has, for queries of
// every kind, whatever the keyframes.
func TestFindAgreesWithList(t *testing.T) {
	s := explored(t, jointree.System, Settings{})
	must(t, s, "walk 600; jump 250; walk 500 seed 3")
	rng := rand.New(rand.NewPCG(3, 3))
	for _, text := range []string{
		"n1", "kind timer", "type join", "sends alive", "fault", "field n1.papa", "field papa", "field \"n2 timer\"", "field \"tcp n0->n1\"",
		"property \"all joined\"", "property \"all joined\" fails", "live", "/redirect/", "not n1", "n2 field n2.kids", "not field n1.papa n1", "field n3.papa = n0",
	} {
		words, _, err := cutWords(text)
		if err != nil {
			t.Fatal(err)
		}
		q, err := s.run.parseQuery(words)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var all []int
		if err := s.run.matches(q, s.here, 0, s.Len(), func(i int) bool {
			all = append(all, i)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 && text != "fault" && text != "field n3.papa = n0" {
			t.Errorf("%s: nothing is found", text)
		}
		for range 12 {
			from := rng.IntN(s.Len() + 1)
			next, prev := 0, 0
			at, there := slices.BinarySearch(all, from)
			if at > 0 {
				prev = all[at-1]
			}
			if there {
				at++
			}
			if at < len(all) {
				next = all[at]
			}
			if got, err := s.run.find(q, s.here, from, false); err != nil || got != next {
				t.Errorf("%s: after %d there is %d, found %d, %v", text, from, next, got, err)
			}
			if got, err := s.run.find(q, s.here, from, true); err != nil || got != prev {
				t.Errorf("%s: before %d there is %d, found %d, %v", text, from, prev, got, err)
			}
		}
	}
}

// A change of a field is a difference between its lines, step by step: looking
// only at steps of the node misses none.
func TestWatchMissesNothing(t *testing.T) {
	s := explored(t, jointree.System, Settings{})
	must(t, s, "walk 300")
	for _, name := range []string{"n0.kids", "n2.papa", "n3 timer", "papa", "tcp n1->n0", "n1"} {
		f, err := s.run.parseField(name)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []int
		before, _ := s.run.lines(s.here, 0)
		for i := 1; i <= s.Len(); i++ {
			now, err := s.run.lines(s.here, i)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(f.of(before), f.of(now)) {
				want = append(want, i)
			}
			before = now
		}
		q := &query{terms: []term{{field: &f}}}
		if err := s.run.matches(q, s.here, 0, s.Len(), func(i int) bool {
			got = append(got, i)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s changes in %v, found %v", name, want, got)
		}
	}
}
