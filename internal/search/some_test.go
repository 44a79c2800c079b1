package search

import (
	"strings"
	"testing"

	"macemc/choose"
)

// Partitions and pauses that healing ended also end when healing is taken out of a run.
func TestUnhealed(t *testing.T) {
	var steps []choose.Step
	for _, what := range []string{"n1 pause", "n0 timer a{}", "n2 pause", "heal", "n1 timer a{}", "heal"} {
		steps = append(steps, choose.Step{Event: choose.Choice{What: what}})
	}
	var got []string
	all, at := (&following{steps: steps, kinds: kindsOf(steps)}).unhealed()
	for i, s := range all {
		got = append(got, s.Event.What+" "+string(rune('0'+at[i])))
	}
	if text := strings.Join(got, ", "); text != "n1 pause 0, n0 timer a{} 1, n2 pause 2, mend 3, n1 resume 3, n2 resume 3, n1 timer a{} 4, mend 5" {
		t.Errorf("the steps are %s", text)
	}
}
