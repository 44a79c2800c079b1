package echomulticast

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/trace"
)

// Taking signatures in quorums leads to the same verdicts as taking them one by one, in fewer states.
func TestQuorums(t *testing.T) {
	for _, c := range []struct {
		settings []string
		bug      string
		states   int // with quorums; 0 means that something is found
	}{
		{[]string{"initiators=0"}, "", 49},
		{[]string{"receivers=2", "bad-receivers=0"}, "", 45},
		{nil, "", 3_577},
		{[]string{"receivers=2", "bad-receivers=2", "strategy=both"}, "EM1", 0},
		{nil, "EM2", 0},
		{[]string{"strategy=both"}, "EM4", 0},
	} {
		if c.bug == "EM4" && !*long.On { // found after a million states
			continue
		}
		var verdicts []trace.Verdict
		var states []int
		for _, answers := range []string{"single", "quorum"} {
			var bugs []string
			if c.bug != "" {
				bugs = []string{c.bug}
			}
			p, err := System.Configure(0, append(c.settings, "answers="+answers), bugs)
			if err != nil {
				t.Fatal(err)
			}
			r, err := search.Search(System, search.Options{Params: p, NoWalks: true, Effort: 1 << 30, Reduce: search.ReduceNone})
			if err != nil {
				t.Fatal(err)
			}
			verdicts, states = append(verdicts, r.Verdict()), append(states, r.Stats.States)
		}
		if what := fmt.Sprint(c.settings, c.bug); verdicts[0] != verdicts[1] {
			t.Errorf("%s: %s, and with quorums %s", what, verdicts[0], verdicts[1])
		} else if c.states > 0 && (verdicts[1] != trace.VerdictNone || states[1] != c.states || states[0] <= states[1]) {
			t.Errorf("%s: %s with %d states, and %d with quorums, want %d", what, verdicts[1], states[0], states[1], c.states)
		} else if c.states == 0 && verdicts[1] == trace.VerdictNone {
			t.Errorf("%s is not found", what)
		}
	}
}
