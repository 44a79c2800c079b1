package search

import (
	"strings"
	"testing"

	"macemc/internal/long"
)

// TestReducedLiveness: on random services, a search that leaves steps out reports the same answer
// about liveness as one that takes all steps.
func TestReducedLiveness(t *testing.T) {
	met := reduces(t, 30, func(seed uint64, met map[string]int) {
		s := reducible(3 * seed) // of these, Eventually is kept
		opts := conditions(s)
		opts.Effort, opts.Workers, opts.ExplainEffort = long.Of(1_000, 3_000), 1, 1
		opts.Reduce = ReduceNone
		whole, err := Search(s.System(), opts)
		if err != nil || whole.Stop == StopDepth {
			met["left out"]++
			return
		}
		opts.Reduce, opts.Effort, opts.trial = []Reduce{ReduceStubborn, ReduceStubborn, ReduceAuto}[seed%3], 1<<30, 16
		part, err := Search(s.System(), opts)
		switch {
		case err != nil && strings.Contains(err.Error(), "leaves no steps out"), err == nil && part.Stats.Unreduced != "":
			met["refused"]++
			return
		case err != nil:
			t.Fatalf("service %d: %v", 3*seed, err)
		}
		met["tried"] += min(1, part.Stats.Whole)
		met[string(whole.Verdict().String())]++
		if whole.Finding != nil && whole.Finding.whole {
			met["dead on the whole space"]++
		}
		if part.Stats.Parted > 0 {
			met["parted"]++
		}
		if whole.Finding == nil != (part.Finding == nil) || whole.Finding == nil && whole.Liveness.State != part.Liveness.State {
			t.Errorf("service %d: %s, liveness %s, and by the reduction %s, %s: %s", 3*seed, whole.Verdict(), whole.Liveness.State, part.Verdict(), part.Liveness.State, s)
		}
	})
	if met["none"] == 0 || met["dead"] == 0 {
		t.Errorf("the services are too much alike: %v", met)
	}
}
