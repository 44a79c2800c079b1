package search

import (
	"fmt"
	"testing"

	"macemc/internal/catalog"
)

// What the memo engine finds is taken again from its text, by re-execution:
// every known bug of every system.
func TestFindingsReplay(t *testing.T) {
	n := 0
	for _, sys := range catalog.Systems() {
		for _, bug := range sys.Bugs {
			n++
			t.Run(fmt.Sprint(sys.Name, "/", bug.ID), func(t *testing.T) {
				t.Parallel()
				res := search(t, sys, 0, nil, Options{Engine: EngineMemo}, string(bug.ID))
				if res.Finding == nil {
					t.Fatalf("nothing was found; safety %s, liveness %s", res.Safety.State, res.Liveness.State)
				}
				replayed(t, sys, res.Finding, false)
			})
		}
	}
	if n < 10 {
		t.Errorf("the catalogue has %d known bugs", n)
	}
}
