package reliable

import (
	"fmt"
	"strings"
	"testing"

	"macemc/internal/search"
	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

func TestReliable(t *testing.T) { macetest.Run(t, System, macetest.Options{}) }

func TestBugs(t *testing.T) {
	for bug, want := range map[sim.BugID]trace.Verdict{
		RL1: trace.VerdictUnhandled, RL2: trace.VerdictDead, RL3: trace.VerdictDead, RL4: trace.VerdictDead,
		RL5: trace.VerdictDead, RL6: trace.VerdictSafety, RL7: trace.VerdictUnhandled,
	} {
		t.Run(string(bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Bugs: []sim.BugID{bug}, Expect: want})
		})
	}
}

// The report names the pairs of a state and an event that never occurred. There are some if the sender never
// sends again, and none for the correct sender.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		bugs []string
		want string
	}{
		{[]string{"RL4"}, "[machine sender never met in state idle: ack machine sender never met in state waiting: retry]"},
		{nil, "[]"},
	} {
		params, err := System.Configure(0, nil, c.bugs)
		if err != nil {
			t.Fatal(err)
		}
		for _, engine := range []search.Engine{search.EngineMemo, search.EngineLocal, search.EngineReference} {
			res, err := search.Search(System, search.Options{Params: params, Conditions: sim.Conditions{Faults: &sim.Faults{}}, Engine: engine, Depth: 9, NoWalks: true})
			if err != nil {
				t.Fatal(err)
			}
			var never []string
			for _, n := range res.Never {
				if strings.HasPrefix(n, "machine ") {
					never = append(never, n)
				}
			}
			if got := fmt.Sprint(never); got != c.want {
				t.Errorf("%s, bugs %v: %s, want %s", engine, c.bugs, got, c.want)
			}
		}
	}
}
