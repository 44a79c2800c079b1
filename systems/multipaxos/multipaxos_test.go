package multipaxos

import (
	"fmt"
	"testing"

	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

var basic = []string{"slots=1"}

func TestMultipaxos(t *testing.T) {
	for _, params := range [][]string{nil, basic, {"proposers=1"}} {
		macetest.Run(t, System, macetest.Options{Params: params})
	}
}

func TestBugs(t *testing.T) {
	for k, c := range []struct {
		bug    sim.BugID
		params []string
		faults sim.Faults
		want   trace.Verdict
	}{
		{MP5, basic, sim.Faults{}, trace.VerdictUnhandled},
		{MP6, basic, sim.Faults{}, trace.VerdictUnhandled},
		{MP7, nil, sim.Faults{Down: 1, Only: "down@n2"}, trace.VerdictDead},
		{MP3, basic, sim.Faults{}, trace.VerdictSafety},
		{MP8, nil, sim.Faults{}, trace.VerdictSafety},
	} {
		if k >= long.Of(3, 5) {
			break // those that take a second
		}
		t.Run(string(c.bug), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{
				Bugs: []sim.BugID{c.bug}, Params: c.params, Conditions: sim.Conditions{Faults: &c.faults}, Expect: c.want, NoShrink: true,
			})
		})
	}
}

// With one proposer the space is closed: every value is learnt even if one acceptor goes down.
func TestOneProposerIsExhausted(t *testing.T) {
	settings := []string{"proposers=1", fmt.Sprint("learners=", long.Of(1, 2))}
	params, err := System.Configure(0, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	faults := sim.Faults{Down: 1, Only: "down@n1+n2+n3"}
	res, err := search.Search(System, search.Options{Params: params, Conditions: sim.Conditions{Faults: &faults}, Effort: 1 << 40, NoWalks: true})
	if err != nil {
		t.Fatal(err)
	}
	if res.Finding != nil || res.Safety.State != search.StateExhausted || res.Liveness.State != search.StateExhausted {
		t.Errorf("%s, %s, %v", res.Safety.State, res.Liveness.State, res.Finding)
	}
	t.Log(res.Stats.States, res.Stats.Transitions)
}
