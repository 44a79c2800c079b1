package search

import (
	"testing"

	"macemc/internal/canon"
	"macemc/systems/pastry"
	"macemc/trace"
)

// Deciding about suspects takes at most Options.ExplainEffort. The result lists the runs that this
// did not suffice for; with more effort the same search has a finding.
func TestExplainEffortBoundsJudging(t *testing.T) {
	p, err := pastry.System.Configure(0, nil, []string{"PA1"})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Params: p, Depth: 1, Walks: 1, Workers: 1, WalkSteps: 500, MaxWalkSteps: 500, EvidenceWalks: 20, ExplainEffort: 2_000}
	r, err := Search(pastry.System, opts)
	if err != nil || r.Finding != nil || len(r.Undecided) == 0 {
		t.Fatalf("%v: with little effort the finding is %+v, and %d runs are undecided", err, r.Finding, len(r.Undecided))
	}
	opts.ExplainEffort = 1 << 40
	if r, err = Search(pastry.System, opts); err != nil || r.Verdict() != trace.VerdictDead || len(r.Undecided) > 0 {
		t.Fatalf("%v: without a bound the finding is %+v, and %d runs are undecided", err, r.Finding, len(r.Undecided))
	}
	if spent := r.Stats.Judging + r.Stats.Settled; spent < 2_000 {
		t.Errorf("without a bound it took %d: the test shows nothing", spent)
	}
}

// By default, explaining a finding may take as much effort as the search took, within two bounds.
func TestExplainEffort(t *testing.T) {
	for _, c := range []struct{ asked, searched, want int }{
		{0, 10, explainLeast}, {0, explainLeast + 5, explainLeast + 5}, {0, 100 * explainMost, explainMost}, {7, 1 << 40, 7},
	} {
		if got := (Options{ExplainEffort: c.asked}).explainEffort(c.searched); got != c.want {
			t.Errorf("%d asked for, after %d: %d, want %d", c.asked, c.searched, got, c.want)
		}
	}
}

// No state is decided about twice: a state that can recover is remembered, and one for which an
// effort did not suffice is examined again only with at least twice that effort.
func TestSuspicionsAreRemembered(t *testing.T) {
	var s suspicions
	at, other := canon.OfString("at"), canon.OfString("other")
	if s.known(at) || s.hopeless(at, 10) || !s.hopeless(at, 0) {
		t.Error("something is known of a state that nobody has decided about")
	}
	s.recovers(at)
	s.tooDear(other, 100)
	if !s.known(at) || s.known(other) || !s.hopeless(other, 199) || s.hopeless(other, 200) || s.over != 1 {
		t.Errorf("%+v", s)
	}
}
