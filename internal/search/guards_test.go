package search

import (
	"iter"
	"strings"
	"testing"

	"macemc/sim"
	"macemc/trace"
)

// Voters put their votes into the set of the first voter after it has sent them an invitation. The
// first voter decides as soon as the set has enough votes, which it counts by looking at the
// messages.
type voter struct {
	open    bool
	never   bool // it does not open
	need    int  // votes that suffice
	decided int
}

type (
	vote      struct{ n int }
	may       struct{}
	invite    struct{}
	outcomeOf struct{ sum int }
)

func (n *voter) invite(env sim.Env, _ invite) {
	for _, p := range env.Peers() {
		env.UDP().Send(p, may{})
	}
}

func (n *voter) may(sim.Env, sim.Addr, may) { n.open = true }

func (n *voter) cast(env sim.Env, v vote) { env.Set().Send(env.Peers()[0], v) }

func (n *voter) decide(env sim.Env, d outcomeOf) { n.decided = d.sum }

func (n *voter) counted(sim.Env, sim.Addr, vote) {}

// Accepts declines votes, so they stay in the set, where the first voter counts them.
func (n *voter) Accepts(_ sim.Addr, m sim.Message) bool { _, is := m.(vote); return !is }

func (n *voter) Opens(s sim.Signal) bool {
	_, is := s.(vote)
	return !is || n.open && !n.never
}

func (n *voter) Gathers(in iter.Seq2[sim.Addr, sim.Message], offer func(sim.Signal)) {
	votes, sum := 0, 0
	for _, m := range in {
		votes++
		sum += m.(vote).n
	}
	if votes >= n.need && n.decided == 0 {
		offer(outcomeOf{sum})
	}
}

var voters = sim.Handle(
	sim.OnSignal((*voter).invite), sim.OnSignal((*voter).cast), sim.OnSignal((*voter).decide),
	sim.OnMessage((*voter).may), sim.OnMessage((*voter).counted),
)

func voting(need int, never bool) *sim.System {
	return &sim.System{
		Name: "voting", Doc: "Votes.",
		New: func(p sim.Params, self sim.Addr) sim.Node {
			return voters.Node(&voter{need: need, never: never && self == p.Addr(2)})
		},
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{invite{}}
			}
			return []sim.Signal{vote{self.Index()}}
		},
		Properties: []sim.Property{
			sim.Always("the sum is three", func(v sim.View[*voter]) bool {
				for _, n := range v.Nodes() {
					if n.decided != 0 && n.decided != 3 && n.need == 2 {
						return false
					}
				}
				return true
			}),
			sim.Eventually("decided", func(v sim.View[*voter]) bool { n, _ := v.At(v.Params().Addr(0)); return n != nil && n.decided != 0 }),
		},
	}
}

// A request waits until Opens of its node permits it, and an action until there are messages in the
// set. All engines count the same states, with faults and without, and find nothing.
func TestGuards(t *testing.T) {
	for _, faults := range []string{"none", "crash=1", "partition=1", "oneway=1,pause=1", "loss=1"} {
		budgets, err := sim.ParseFaults(faults)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(faults, func(t *testing.T) { agree(t, voting(2, false), sim.Params{}, budgets) })
		t.Run(faults+", any", func(t *testing.T) { agree(t, voting(1, false), sim.Params{}, budgets) })
	}
	res := search(t, voting(2, false), 0, nil, Options{})
	if res.Finding != nil || res.Safety.State != StateExhausted || res.Stats.States != 11 {
		t.Errorf("without faults: %v, %s, %d states", res.Finding, res.Safety.State, res.Stats.States)
	}
}

// The message of a dead run names a request that Opens never permits.
func TestMessageNamesDeclinedRequest(t *testing.T) {
	res := search(t, voting(2, true), 0, nil, Options{})
	if res.Finding == nil || res.Finding.Verdict != trace.VerdictDead {
		t.Fatalf("found: %v", res.Finding)
	}
	if want := "declined by Opens: vote{n: 2} of the script of n2"; !strings.Contains(res.Finding.Message, want) {
		t.Errorf("it says %q, want %q", res.Finding.Message, want)
	}
}
