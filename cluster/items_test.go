package cluster

import (
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
)

// runsOf returns a search that takes every run from its start, as is necessary for systems whose nodes cannot
// be copied.
func runsOf(t testing.TB, name string, params, bugs []string, depth int) subject {
	s := whole(t, name, 0, params, bugs, depth)
	s.opts.Engine = search.EngineReference
	return s
}

// ran compares a search whose runs workers take with one in this process. How often a state is reached again
// depends on the order of the runs, unless every path is taken.
func (g *rig) ran(what string) {
	g.t.Helper()
	want, err := search.Search(g.sys, g.opts)
	if err != nil {
		g.t.Fatal(err)
	}
	one, other := coveredBy(want), coveredBy(g.visits())
	if g.opts.Visited != search.VisitedOff {
		one.Duplicates, other.Duplicates = 0, 0
	}
	if one != other {
		g.t.Errorf("%s: another result:\n alone   %+v\n cluster %+v\n%s", what, one, other, g.said.String())
	}
}

// With workers that take the runs, the reference engine has the same counts as in one process, for visited
// states and for every path. It finds a failure at the same distance from the start.
func TestRunsComeToTheSame(t *testing.T) {
	t.Parallel()
	of := brisk
	of.span = 1 // the budget of an item is over with its first state
	every := runsOf(t, "commit", nil, nil, 4)
	every.opts.Visited = search.VisitedOff
	for _, s := range []subject{runsOf(t, "peterson", []string{"n=3"}, nil, 14), every, runsOf(t, "randtree", nil, nil, long.Of(4, 6))} {
		g := newRig(t, s, settings{pace: of})
		g.worker(2, nil)
		g.ran(s.sys.Name)
		if members, counts := g.c.roster.now(); counts.Spans < 3 {
			t.Errorf("%s: %d items, of workers %+v", s.sys.Name, counts.Spans, members)
		}
	}
	s := runsOf(t, "peterson", nil, []string{"PE2"}, 12)
	want, err := search.Search(s.sys, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	g := newRig(t, s, settings{})
	g.worker(2, nil)
	if got := g.visits(); got.Finding == nil || got.Finding.Step != want.Finding.Step || got.Finding.Verdict != want.Finding.Verdict {
		t.Errorf("found %+v, alone %+v", got.Finding, want.Finding)
	}
}

// A worker that dies between two steps of storing a result costs only time. One that continues after another
// worker has stored the result changes nothing.
func TestRunsOfWorkersThatDie(t *testing.T) {
	t.Parallel()
	of := brisk
	of.span = 1
	for _, point := range points[:long.Of(3, len(points))] {
		g := newRig(t, runsOf(t, "peterson", []string{"n=3"}, nil, 14), settings{pace: of})
		g.outlives(point, 4, g.ran)
	}
}
