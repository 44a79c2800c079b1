package lease

import (
	"strings"
	"testing"

	"macemc/internal/search"
	"macemc/macetest"
	"macemc/sim"
)

// TestExhausted visits all states of three nodes, one of which pauses once, with ordered timers. No two nodes
// write at once, and everything is written in the end.
func TestExhausted(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

// TestFreeTimersBreakIt shows that the lease relies on the promises of System.Clock: with free timers it fails.
func TestFreeTimersBreakIt(t *testing.T) {
	r, err := search.Search(System, search.Options{Conditions: sim.Conditions{FreeTimers: true, Faults: &sim.Faults{}}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Finding == nil || r.Finding.Property != "only the primary writes" {
		t.Fatalf("with free timers is found: %+v", r.Finding)
	}
	again, err := search.Replay(System, r.Finding.Path, search.Options{})
	if err != nil || again.Finding == nil {
		t.Errorf("a path with free timers says of itself that it is one: %v, %+v", err, again)
	}
	if text, _ := r.Finding.Path.Get("timers"); text != "free" {
		t.Errorf("the header of the path says timers: %q", text)
	}
}

// TestTightly shows that the margin which is added to the term is as short as possible: with one percent more
// of drift, the lease fails.
func TestTightly(t *testing.T) {
	one := *System
	one.Clock = func(sim.Params) *sim.Clock { return &sim.Clock{Drift: drift + 1, Handlers: handlers} }
	r, err := search.Search(&one, search.Options{Conditions: sim.Conditions{Faults: &sim.Faults{}}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Finding == nil || !strings.Contains(r.Finding.Property, "primary") {
		t.Errorf("with one percent of drift more is found: %+v", r.Finding)
	}
}
