package critical_test

import (
	"testing"

	"macemc/internal/critical"
	"macemc/internal/decide"
	"macemc/internal/search"
)

// TestKnownEscape: a live walk that is known from the state before the critical step is kept as evidence.
// Without it, a few walks from there might all fail to recover, and an earlier step would be called critical.
func TestKnownEscape(t *testing.T) {
	m := trap(1)
	m.edges[0], m.run = []edge{{To: 1, Weight: whole}}, []int{0, 1, 2}
	sys := m.system()
	opts := critical.Options{Exhaust: -1, NoLive: true, Search: search.Options{WalkSteps: 20, MaxWalkSteps: 20, EvidenceWalks: 6}}
	for seed := range 5 {
		f := m.finding(t, sys)
		f.Path.Set("seed", string(rune('1'+seed)))
		f.Critical = &search.Critical{Step: 2, Event: f.Path.Steps[1].Event.What, Witness: &decide.Witness{Walk: 3, Steps: 2}}
		if c := find(t, sys, f, opts).Critical; c.Step != 2 || c.Witness == nil {
			t.Errorf("seed %d: critical is %+v", seed+1, c)
		}
	}
}
