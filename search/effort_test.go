package search_test

import (
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/long"
	"macemc/search"
)

// TestLeast: where more is asked for than the bounds allow, that is done, and
// not much more; any number of workers takes the same walks.
func TestLeast(t *testing.T) {
	sys, err := catalog.Find("jointree")
	if err != nil {
		t.Fatal(err)
	}
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	take := func(o search.Options) search.Stats {
		o.Params = params
		res, err := search.Search(sys, o)
		if err != nil || res.Finding != nil {
			t.Fatal(res.Finding, err)
		}
		return res.Stats
	}
	const some, many = 5_000, 20_000
	bare := take(search.Options{Effort: some, Paths: 1})
	if s := take(search.Options{Effort: some, Paths: 1, Least: search.Least{States: many}}); s.States < many || s.States > many+many/10 || s.Walks != 1 {
		t.Errorf("%d states and %d walks; want %d and 1", s.States, s.Walks, many)
	}
	if s := take(search.Options{Effort: some, Paths: 1, Least: search.Least{Transitions: many}}); s.Transitions < many || s.Transitions > many+many/10 {
		t.Errorf("%d transitions, want %d", s.Transitions, many)
	}
	if s := take(search.Options{Effort: some, Paths: 1, Least: search.Least{States: 1, Transitions: 1, WalkSteps: 1}}); s != bare {
		t.Errorf("with less asked for than is done: %+v; nothing: %+v", s, bare)
	}
	if s := take(search.Options{Depth: 3, Paths: 1, Least: search.Least{States: many}}); s.Depth != 3 || s.States >= many {
		t.Errorf("%d states to depth %d; a depth is a bound", s.States, s.Depth)
	}
	walks, steps := 0, 0
	const far = 300_000
	for _, workers := range []int{1, 3, 2}[:long.Of(2, 3)] {
		s := take(search.Options{Depth: 1, Paths: 10, Workers: workers, Least: search.Least{WalkSteps: far}})
		if walks == 0 {
			walks, steps = s.Walks, s.WalkSteps
		}
		if s.WalkSteps < far || s.Walks < 1000 || s.Walks%1024 != 10 || s.Walks != walks || s.WalkSteps != steps {
			t.Errorf("%d workers: %d walks of %d steps; one: %d of %d; want %d at least", workers, s.Walks, s.WalkSteps, walks, steps, far)
		}
	}
}
