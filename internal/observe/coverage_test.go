package observe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

// TestCoverageOfManyTypes checks that two types with the same slot in the cache are counted apart.
func TestCoverageOfManyTypes(t *testing.T) {
	c := new(Coverage)
	c.Prepare(sim.Params{})
	const types = 1000
	value := func(i int) any { return reflect.Zero(reflect.ArrayOf(i+1, reflect.TypeFor[int8]())).Interface() }
	for range 2 {
		for i := range types {
			c.of(value(i)).of[sim.KindMessage].possible += i
		}
	}
	for i := range types {
		if n := c.of(value(i)).of[sim.KindMessage].possible; n != 2*i {
			t.Fatalf("type %d was counted %d times, want %d", i, n, 2*i)
		}
	}
	if len(c.types) != types {
		t.Errorf("%d types were told apart, want %d", len(c.types), types)
	}
}

// TestCoverageOfCoins checks that coins are counted for a limited number of purposes and that a line says when
// there were more, and that the answers which a coin never gave are abbreviated to one line.
func TestCoverageOfCoins(t *testing.T) {
	c := new(Coverage)
	c.Prepare(sim.Params{})
	c.Chosen("wide", 100, 7)
	c.Chosen("wider", sidesMost, 7)
	c.Chosen("without end", 1<<30, 1<<29)
	for i := range 2 * coinsMost {
		why := fmt.Sprint("coin ", i)
		c.Chosen(why, 2, 0)
		c.Chosen(why, 2, 1)
	}
	want := []string{
		`coin "wide": answers 0, 1, 2, 3, and 95 more of 0 to 99 were never given`,
		`coin "wider": answers 0, 1, 2, 3, and 4091 more of 0 to 4095 were never given`,
		`coin "without end" has 1073741824 answers, which are too many to count those that were never given`,
		"coins of more than 1000 different purposes were asked; the others were not counted",
	}
	if got := c.neverCoins(); !slices.Equal(got, want) {
		t.Errorf("never: %q", got)
	}
}

// TestCoverageNames checks that types that share a name are shown with their packages.
func TestCoverageNames(t *testing.T) {
	got := typeNames([]*typeTally{
		{typ: reflect.TypeFor[sim.Flushed]()}, {typ: reflect.TypeFor[*sim.PeerError]()}, {typ: reflect.TypeFor[strings.Reader]()},
		{typ: reflect.TypeFor[sim.Kind]()}, {typ: reflect.TypeFor[reflect.Kind]()},
	})
	if want := []string{"Flushed{}", "*PeerError", "Reader{...}", "macemc/sim.Kind", "reflect.Kind"}; !slices.Equal(got, want) {
		t.Errorf("names: %q", got)
	}
}

// TestLargestBudgets checks that the largest budget for a fault counts if runs have several, and that unlimited is
// the largest.
func TestLargestBudgets(t *testing.T) {
	c := &Coverage{}
	for _, f := range []sim.Faults{{Crash: 2, Loss: sim.Unlimited}, {Crash: 1, Loss: 5, Reset: 1}, {Reset: sim.Unlimited}} {
		c.Allow(f)
	}
	if want := (sim.Faults{Crash: 2, Loss: sim.Unlimited, Reset: sim.Unlimited}); c.allowed != want {
		t.Errorf("allowed are %v, not %v", c.allowed, want)
	}
}

// TestSignalled checks that a type counts as signalled if it was possible in any other way than as a message.
func TestSignalled(t *testing.T) {
	for _, c := range []struct {
		kinds []sim.Kind
		want  bool
	}{
		{nil, false}, {[]sim.Kind{sim.KindMessage}, false}, {[]sim.Kind{sim.KindScript}, true}, {[]sim.Kind{sim.KindAction}, true},
		{[]sim.Kind{sim.KindTask}, true}, {[]sim.Kind{sim.KindTimer}, true}, {[]sim.Kind{sim.KindTask, sim.KindTimer}, true},
	} {
		var of typeTally
		for _, k := range c.kinds {
			of.of[k].possible = 1
		}
		if got := of.signalled(); got != c.want {
			t.Errorf("possible as %v: signalled %v", c.kinds, got)
		}
	}
}
