package search

import (
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/search/internal/run"
	"macemc/internal/toy"
)

// TestNeverKnowsFastRuns: runs that are not audited also count as exercising the service. If they did
// not, a report would list a coin's answer as never given although such a run gave it.
func TestNeverKnowsFastRuns(t *testing.T) {
	r, err := newRunner(toy.MustParse("start: a\na -?-> b c\nb -> a\nlive: b"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if end, failure, w := r.Run(run.Repeat(choose.NewFixed(0), run.Fair, 1), false); w != r.World || end != run.EndLeft || failure != nil {
		t.Fatalf("the run was not a fast one, or failed: %v, %v", end, failure)
	}
	coin := func() bool {
		return slices.ContainsFunc(r.coverage.Never(), func(s string) bool { return s[:4] == "coin" })
	}
	if !coin() {
		t.Errorf("a run gave one of two answers, and never: %q", r.coverage.Never())
	}
	r.Run(run.Repeat(choose.NewFixed(1), run.Fair, 1), false)
	if coin() {
		t.Errorf("another gave the other one, and never: %q", r.coverage.Never())
	}
}
