package mdb

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macemc/internal/canon"
	"macemc/sim"
	"macemc/systems/jointree"
	"macemc/systems/randtree"
)

// Moving forward and back by find visits exactly the steps that list prints, for queries of every kind,
// whatever keyframes there are.
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

// watch finds every change of a field, though it looks only at steps that may have changed the node.
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

// A field changes exactly where the texts of the whole states differ in it.
func TestFieldsAgreeWithStates(t *testing.T) {
	for _, c := range []struct {
		sys      *sim.System
		settings Settings
		changes  []string
	}{
		{jointree.System, Settings{Params: []string{"ballast=1KB"}}, []string{
			"n1", "n1.papa", "papa", "n0.kids", "kids[n1]", "n1.ballast.peers[n0].relation", "history", "n0.ballast.history", "history[11]", "relation", "n2 timer",
		}},
		{randtree.System, Settings{Conditions: sim.Conditions{Faults: &sim.Faults{Crash: 3, Reset: 2, Partition: 1}}}, []string{
			"n1", "n1.parent", "parent", "kids", "timer", "n2 timer", "n1 restarts", "n1 is", "tcp n0->n1", "faults left", "partition", "root",
		}},
	} {
		s := explored(t, c.sys, c.settings)
		rng := rand.New(rand.NewPCG(5, 5))
		for range 150 { // faults are as likely as anything else
			must(t, s, fmt.Sprint("take ", rng.IntN(s.run.player.World().Events.Count())))
		}
		must(t, s, "heal; walk 50")
		states := s.states(t)
		for _, text := range append(c.changes, "n1.nothing", "nothing") {
			f, err := s.run.parseField(text)
			if err != nil {
				t.Fatal(err)
			}
			want, got := f.changes(states), []int(nil)
			q := &query{text: text, terms: []term{{field: &f}}}
			if err := s.run.matches(q, s.here, 0, s.Len(), func(i int) bool { got = append(got, i); return true }); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || (len(want) == 0) != strings.HasSuffix(text, "nothing") {
				t.Errorf("%s: %s changes in steps %v, says its query; in %v, say the states", c.sys.Name, text, got, want)
			}
		}
	}
}

// states returns all states of the branch, as lines.
func (s *Session) states(t *testing.T) (all [][]canon.Line) {
	t.Helper()
	for i := range s.Len() + 1 {
		lines, err := s.run.lines(s.here, i)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines)
	}
	return all
}

// changes returns the steps in which a field changes.
func (f field) changes(states [][]canon.Line) (steps []int) {
	for i := range states {
		if i > 0 && !slices.Equal(f.of(states[i-1]), f.of(states[i])) {
			steps = append(steps, i)
		}
	}
	return steps
}
