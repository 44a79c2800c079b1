package search

import (
	"testing"

	"macemc/internal/decide"
	"macemc/sim"
)

// What looks into the run of a finding counts as steps of the search.
func TestLookingCosts(t *testing.T) {
	if v := new(Result).Verdict(); v != sim.VerdictNone {
		t.Errorf("nothing is found, and the verdict is %s", v)
	}
	lab, of := labOf(t, strays(), Options{Workers: 1})
	lab.Close()
	r, err := newRunner(strays(), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var taken int
	if _, err := r.looked(&Finding{Path: of.Path}, func(l *Lab, of *Case, _ *decide.Finder) (*Finding, error) {
		before := l.Effort()
		_, err := l.Walk(of, Walks{From: 2, Count: 5, Steps: 20, All: true})
		taken = l.Effort() - before
		return nil, err
	}); err != nil || taken < 20 || r.stats.Steps < taken || r.stats.Steps > taken+2*of.Steps() {
		t.Errorf("%v: %d steps were taken in a look, and %d counted", err, taken, r.stats.Steps)
	}
}
