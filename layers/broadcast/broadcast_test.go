package broadcast

import (
	"maps"
	"testing"

	"macemc/internal/search"
	"macemc/macetest"
	"macemc/sim"
	"macemc/trace"
)

// A gossip broadcasts one word, and collects the words of all.
type gossip struct{ heard map[word]int }

type (
	say  struct{}
	word struct {
		of     sim.Addr
		number int
	}
)

var gossips = sim.Handle(sim.OnSignal((*gossip).say), sim.OnMessage((*gossip).word), sim.OnSignal((*gossip).broken))

func (g *gossip) say(env sim.Env, _ say) {
	Send(env, word{env.Self(), 1})
	Send(env, word{env.Self(), 2})
}

func (g *gossip) word(_ sim.Env, from sim.Addr, w word) {
	if w.of != from {
		panic("a word of another")
	}
	g.heard[w]++
}

func (g *gossip) broken(sim.Env, sim.PeerError) {}

func system(talkers, buffer int) *sim.System {
	return &sim.System{
		Name: "gossips", Doc: "Gossips. Whoever is up hears the same.",
		New:       func(sim.Params, sim.Addr) sim.Node { return Over(gossips.Node(&gossip{heard: map[word]int{}})) },
		Bugs:      Bugs,
		Tolerates: sim.Faults{Down: 1},
		Network:   func(sim.Params) sim.Network { return sim.Network{TCPBuffer: buffer} },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self.Index() < talkers {
				return []sim.Signal{say{}}
			}
			return nil
		},
		Properties: []sim.Property{
			sim.Always("nobody hears twice", func(v sim.View[*gossip]) bool {
				for _, g := range v.Nodes() {
					for _, n := range g.heard {
						if n > 1 {
							return false
						}
					}
				}
				return true
			}),
			sim.Eventually("all have heard the same", func(v sim.View[*gossip]) bool {
				var first map[word]int
				for _, g := range v.Nodes() {
					if first == nil {
						first = g.heard
					}
					if !maps.Equal(first, g.heard) {
						return false
					}
				}
				return true
			}),
		},
	}
}

// If one node gets a word, all nodes that stay up get it, even if a node fails at any point, and if links have
// room for only one message. The whole space is visited.
func TestAgreement(t *testing.T) {
	for _, c := range []struct{ talkers, buffer int }{{1, 20}, {1, 1}, {2, 20}} {
		res, err := search.Search(system(c.talkers, c.buffer), search.Options{Effort: 400_000, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Finding != nil || c.talkers == 1 && res.Liveness.State != search.StateExhausted {
			t.Errorf("%d talk, room for %d: %s, %s, %v", c.talkers, c.buffer, res.Safety.State, res.Liveness.State, res.Finding)
		}
		t.Log(c, res.Safety.State, res.Stats.States)
	}
}

// If receivers do not forward, a sender that fails leaves some nodes without the message.
func TestWithoutForwardingAgreementFails(t *testing.T) {
	macetest.Run(t, system(1, 20), macetest.Options{Bugs: []sim.BugID{BC1}, Expect: trace.VerdictDead})
}
