package search

import (
	"fmt"
	"slices"
	"testing"

	"macemc/internal/catalog"
	"macemc/internal/known"
	"macemc/internal/long"
	"macemc/sim"
)

// TestFindingsReplay: findings of the memo engine are reproduced from the text of their paths, by
// re-execution. By default the test takes the first known bug of each system, except those that
// take longest; with -long it takes all.
func TestFindingsReplay(t *testing.T) {
	all, last := catalog.Bugs(), []sim.BugID{"DP1", "EM1", "MP1", "PX1", "RL1", "RS1", "RT1"}
	for i, bug := range all {
		if bug.Long || !*long.On && (i > 0 && all[i-1].System == bug.System || slices.Contains(last, bug.ID)) {
			continue
		}
		t.Run(fmt.Sprint(bug.System.Name, "/", bug.ID), func(t *testing.T) {
			t.Parallel()
			res := searchFor(t, bug, Options{Engine: EngineMemo})
			if res.Finding == nil {
				t.Fatalf("nothing was found; safety %s, liveness %s", res.Safety.State, res.Liveness.State)
			}
			replayed(t, bug.System, res.Finding, false)
		})
	}
	if len(all) < 10 {
		t.Errorf("the catalogue has %d known bugs", len(all))
	}
}

// searchFor searches for a known bug, with the flags of its entry.
func searchFor(t *testing.T, bug known.Entry, opts Options) *Result {
	t.Helper()
	prefix, err := bug.Prefix()
	if err != nil {
		t.Fatal(err)
	}
	nodes, params := bug.Flags.Nodes, bug.Flags.Params
	if prefix != nil {
		if nodes, params, err = LikePrefix(prefix, nodes, slices.Clone(params)); err != nil {
			t.Fatal(err)
		}
	}
	_, faults, err := bug.Configure()
	if err != nil {
		t.Fatal(err)
	}
	opts.DiskReorder = bug.Flags.Disk == "reorder"
	opts.Prefix, opts.Faults, opts.Properties = prefix, faults, bug.Flags.Properties
	return search(t, bug.System, nodes, params, opts, string(bug.ID))
}
