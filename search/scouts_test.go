package search_test

import (
	"reflect"
	"testing"

	"macemc/internal/catalog"
	"macemc/search"
	"macemc/sim"
)

// TestWalksOfSeveral: walks that several workers take find what one finds, and
// count what one counts, but for checks.
func TestWalksOfSeveral(t *testing.T) {
	for _, c := range []struct {
		system string
		bugs   []string
		walks  int
		found  bool
	}{
		{"stopwait", nil, 4000, false},
		{"simtcp", nil, 3000, false},
		{"randtree", []string{"RT17"}, 8000, true}, // by a walk with a number above 1,000
	} {
		t.Run(c.system, func(t *testing.T) {
			sys, err := catalog.Find(c.system)
			if err != nil {
				t.Fatal(err)
			}
			nodes, set := 0, []string(nil)
			var faults *sim.Faults
			if c.bugs != nil {
				nodes, set = 4, []string{"children=1"}
				f, err := sim.ParseFaults("crash=2")
				if err != nil {
					t.Fatal(err)
				}
				faults = &f
			}
			params, err := sys.Configure(nodes, set, c.bugs)
			if err != nil {
				t.Fatal(err)
			}
			var one *search.Result
			counts := []int{1, 2, 3}
			if testing.Short() {
				counts = []int{1, 2}
			}
			for _, workers := range counts {
				res, err := search.Search(sys, search.Options{Params: params, Depth: 1, Roam: c.walks, WalkSteps: 500, Faults: faults, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if (res.Finding != nil) != c.found {
					t.Fatalf("%d workers: found is %v", workers, res.Finding)
				}
				if one == nil {
					one = res
					continue
				}
				if res.Stats.Walks != one.Stats.Walks || res.Stats.Paths != one.Stats.Paths {
					t.Errorf("%d workers: %d walks; one: %d", workers, res.Stats.Walks, one.Stats.Walks)
				}
				if c.found && !reflect.DeepEqual(res.Finding.Path, one.Finding.Path) {
					t.Errorf("%d workers found another run", workers)
				}
				if !c.found && !reflect.DeepEqual(res.Never, one.Never) {
					t.Errorf("%d workers: never exercised %q, one: %q", workers, res.Never, one.Never)
				}
			}
		})
	}
}
