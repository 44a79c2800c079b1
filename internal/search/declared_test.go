package search

import (
	"strings"
	"testing"

	"macemc/sim"
)

// TestWrongTakesAreErrors: a property that reads more of a node than sim.Takes declares, or the messages, ends
// a reduced search with an error that says so.
func TestWrongTakesAreErrors(t *testing.T) {
	heard := func(v sim.View[*member]) (n int) {
		for _, m := range v.Nodes() {
			if m.heard {
				n++
			}
		}
		return n
	}
	all := sim.Eventually("all have heard", func(v sim.View[*member]) bool { return heard(v) == v.Len() })
	quiet := sim.Eventually("nothing is under way", func(v sim.View[*member]) bool { return v.InFlight() == 0 })
	for want, p := range map[string]sim.Property{
		"": sim.Takes(all, func(m *member) any { return m.heard }),
		`"all have heard" depends on more of a node`:       sim.Takes(all, func(m *member) any { return m.inits }),
		`"nothing is under way" depends on messages under`: sim.Takes(quiet, func(m *member) any { return m.heard }),
	} {
		sys := membership(false)
		sys.Within = sim.Constraint{}
		sys.Script = func(p sim.Params, self sim.Addr, life int) []sim.Signal { return []sim.Signal{greet{}} }
		sys.Properties = []sim.Property{p}
		_, err := Search(sys, Options{NoWalks: true, Workers: 1, Reduce: ReduceStubborn, Conditions: sim.Conditions{Faults: &sim.Faults{}}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("the error is %v, and should have %q", err, want)
		}
	}
}
