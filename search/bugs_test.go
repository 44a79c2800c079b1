package search

import (
	"fmt"
	"testing"

	"macemc/internal/catalog"
)

// What the memo engine finds is taken again from its text, by re-execution:
// every known bug of every system.
func TestFindingsReplay(t *testing.T) {
	all := catalog.Bugs()
	for _, bug := range all {
		t.Run(fmt.Sprint(bug.System.Name, "/", bug.ID), func(t *testing.T) {
			t.Parallel()
			_, faults, err := bug.Configure()
			if err != nil {
				t.Fatal(err)
			}
			res := search(t, bug.System, bug.Flags.Nodes, bug.Flags.Params, Options{Engine: EngineMemo, Faults: faults, Properties: bug.Flags.Properties}, string(bug.ID))
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
