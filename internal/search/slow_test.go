package search

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"macemc/internal/setting"
	"macemc/sim"
)

// A relay is one of three nodes. The first sends a parcel to the others, and the second passes it on to
// the third. Each records from which node it got its first parcel.
type relay struct {
	first sim.Addr
	by    sim.Link
}

type (
	depart struct{}
	parcel struct{}
	remind struct{}
)

func (r *relay) port(env sim.Env) sim.Port {
	return map[sim.Link]sim.Port{sim.LinkTCP: env.TCP(), sim.LinkUDP: env.UDP(), sim.LinkSet: env.Set(), sim.LinkBag: env.Bag()}[r.by]
}

func (r *relay) depart(env sim.Env, _ depart) {
	for _, p := range env.Peers() {
		r.port(env).Send(p, parcel{})
	}
	env.After(time.Second, remind{}) // a timer is not waited for
}

func (r *relay) remind(sim.Env, remind) {}

func (r *relay) parcel(env sim.Env, from sim.Addr, _ parcel) {
	if env.Self().Index() == 1 && r.first.IsZero() {
		r.port(env).Send(env.Peers()[1], parcel{})
	}
	if r.first.IsZero() {
		r.first = from
	}
}

func (r *relay) broken(sim.Env, sim.PeerError) {}

var relays = sim.Handle(sim.OnSignal((*relay).depart), sim.OnSignal((*relay).remind), sim.OnSignal((*relay).broken), sim.OnMessage((*relay).parcel))

func relaying(by sim.Link) *sim.System {
	return &sim.System{
		Name: "relaying", Doc: "Relays.",
		New: func(sim.Params, sim.Addr) sim.Node { return relays.Node(&relay{by: by}) },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self.Index() > 0 || life > 0 {
				return nil
			}
			return []sim.Signal{depart{}}
		},
		Properties: []sim.Property{
			sim.Always("the last hears of the second first", func(v sim.View[*relay]) bool {
				n, up := v.At(v.Params().Addr(2))
				return !up || n.first.IsZero() || n.first.Index() == 1
			}),
			sim.Eventually("the last hears something", func(v sim.View[*relay]) bool {
				n, up := v.At(v.Params().Addr(2))
				return !up || !n.first.IsZero()
			}),
		},
	}
}

// A message on a slow link arrives, after all others. All engines agree, and the path of a
// finding keeps the setting.
func TestSlowLinks(t *testing.T) {
	for _, by := range []sim.Link{sim.LinkTCP, sim.LinkUDP, sim.LinkSet, sim.LinkBag} {
		var counts []string
		for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
			told := ""
			for _, slow := range []string{"", "n0-n2", "n2", "n0-n1"} {
				sys := relaying(by)
				res, err := Search(sys, Options{Engine: engine, Conditions: sim.Conditions{Network: sim.Network{Slow: slow}}, Depth: 8, NoWalks: true, once: true})
				if err != nil {
					t.Fatal(err)
				}
				if found := res.Finding != nil; found != (slow != "n0-n2" || by == sim.LinkSet) { // what stays in a set is not waited for
					t.Errorf("%s by %s, slow %q: %v", engine, by, slow, res.Finding)
				} else if found {
					replayed(t, sys, res.Finding, false)
					told += fmt.Sprint(res.Finding.Step, "; ")
				} else {
					told += fmt.Sprint(res.Stats.States, " ", res.Stats.Transitions, "; ")
				}
			}
			counts = append(counts, told)
		}
		if counts[0] != counts[1] || counts[0] != counts[2] {
			t.Errorf("by %s the engines count %q", by, counts)
		}
	}
	for _, faults := range []string{"crash=1", "partition=1", "pause=1", "reset=1,dup=1"} {
		budgets, err := sim.ParseFaults(faults)
		if err != nil {
			t.Fatal(err)
		}
		sys := relaying(sim.LinkUDP)
		sys.Network = func(sim.Params) sim.Network { return sim.Network{Slow: "n0-n2"} }
		sys.Properties = sys.Properties[1:]
		t.Run(faults, func(t *testing.T) { agree(t, sys, sim.Params{}, budgets) })
	}
}

// TestSlowLinkOfNobody: a slow link that names a node which does not exist is an error.
func TestSlowLinkOfNobody(t *testing.T) {
	for slow, want := range map[string]string{
		"n0-n7": "the link n0-n7 is slow, and there are 3 nodes, counted from n0",
		"n0-":   `network setting slow has the place "n0-"; write slow=n0-n1 for a link, slow=n2 for all of a node's, and + between several`,
	} {
		_, err := Search(relaying(sim.LinkUDP), Options{Conditions: sim.Conditions{Network: sim.Network{Slow: slow}}})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", slow, err)
		}
		if _, err := setting.ParseNetwork("slow=" + slow); (err == nil) != (slow == "n0-n7") {
			t.Errorf("%s: %v", slow, err)
		}
	}
}

// hurried posts itself a task again and again, and the last node may be deaf.
type hurried struct {
	Heard bool
	deaf  bool
}

func (h *hurried) depart(env sim.Env, _ depart) {
	env.UDP().Send(env.Peers()[1], parcel{})
	env.Post(remind{})
}

func (h *hurried) remind(env sim.Env, _ remind) { env.Post(remind{}) }

func (h *hurried) parcel(sim.Env, sim.Addr, parcel) { h.Heard = !h.deaf }

var hurrying = sim.Handle(sim.OnSignal((*hurried).depart), sim.OnSignal((*hurried).remind), sim.OnMessage((*hurried).parcel))

// TestSlowLinkAlone: a node that posts itself a task again and again keeps a slow link from ever
// delivering, so the run is dead. The finding says that the slow link alone causes it. It does not say
// so if the receiver is deaf, since the run is then dead with any link.
func TestSlowLinkAlone(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		sys := relaying(sim.LinkUDP)
		sys.New = func(sim.Params, sim.Addr) sim.Node { return hurrying.Node(&hurried{deaf: deaf}) }
		sys.Properties = []sim.Property{sim.Eventually("the last hears something", func(v sim.View[*hurried]) bool {
			n, up := v.At(v.Params().Addr(2))
			return !up || n.Heard
		})}
		for _, slow := range []string{"n0-n2", "n2", ""} {
			for _, engine := range []Engine{EngineReference, EngineMemo} {
				res := search(t, sys, 0, nil, Options{Engine: engine, WalkSteps: 200, Paths: 200, once: true, Conditions: sim.Conditions{Network: sim.Network{Slow: slow}}})
				if f := res.Finding; (f == nil) != (slow == "" && !deaf) {
					t.Errorf("deaf %v, slow %q, %s: found %v", deaf, slow, engine, f)
				} else if f != nil && strings.Contains(f.Message, "the slow links ("+slow+") alone cause it") != !deaf {
					t.Errorf("deaf %v, slow %q, %s: it says %q", deaf, slow, engine, f.Message)
				} else if f != nil && engine == EngineMemo {
					again, err := Replay(sys, f.Path, Options{})
					if err != nil || !again.Reproduced || again.Finding.Message != f.Message {
						t.Errorf("deaf %v, slow %q: a replay says %q, %v", deaf, slow, again.Finding.Message, err)
					}
				}
			}
		}
	}
}
