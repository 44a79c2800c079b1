package search

import (
	"strings"
	"testing"
	"time"

	"macemc/sim"
	"macemc/trace"
)

// A member waits for a hello of the first member, which says it once or, if it is stubborn, until
// all have heard it.
type member struct {
	stubborn bool
	heard    bool
	inits    int
}

type (
	hello struct{}
	greet struct{}
	urge  struct{}
	done  struct{}
)

func (m *member) init(sim.Env) { m.inits++ }
func (m *member) heardOf(env sim.Env, from sim.Addr, _ hello) {
	m.heard = true
	env.UDP().Send(from, done{})
}
func (m *member) done(sim.Env, sim.Addr, done)  {}
func (m *member) failed(sim.Env, sim.PeerError) {}
func (m *member) urge(env sim.Env, _ urge)      { m.greet(env, greet{}) }
func (m *member) greet(env sim.Env, _ greet) {
	m.heard = true
	for _, p := range env.Peers() {
		env.TCP().Send(p, hello{})
	}
	if m.stubborn {
		env.After(time.Second, urge{})
	}
}

var members = sim.Handle(
	sim.OnInit((*member).init), sim.OnMessage((*member).heardOf), sim.OnMessage((*member).done),
	sim.OnSignal((*member).failed), sim.OnSignal((*member).urge), sim.OnSignal((*member).greet),
)

func membership(stubborn bool) *sim.System {
	return &sim.System{
		Name: "membership", Doc: "One joins, one leaves.",
		New: func(sim.Params, sim.Addr) sim.Node { return members.Node(&member{stubborn: stubborn}) },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			switch {
			case life > 0:
				return nil
			case self == p.Addr(0):
				return []sim.Signal{greet{}}
			case self == p.Addr(1):
				return []sim.Signal{sim.Leave{}}
			default:
				return []sim.Signal{sim.Join{}}
			}
		},
		Properties: []sim.Property{
			sim.Always("who is there was started once, and nobody else is seen", func(v sim.View[*member]) bool {
				for _, m := range v.Nodes() {
					if m.inits != 1 {
						return false
					}
				}
				return true
			}),
			sim.Eventually("one has left, one has joined, and all have heard", func(v sim.View[*member]) bool {
				_, left := v.At(v.Params().Addr(1))
				for _, m := range v.Nodes() {
					if !m.heard {
						return false
					}
				}
				return v.Len() == 2 && !left
			}),
		},
		Within: sim.While("few are under way", func(v sim.View[*member]) bool { return v.InFlight() <= 4 }),
	}
}

// If one node joins by the script and one leaves, every engine counts the same states, with faults
// and without.
func TestMembership(t *testing.T) {
	for _, faults := range []string{"none", "crash=1", "down=1", "partition=1", "reset=1,pause=1", "loss=1"} {
		budgets, err := sim.ParseFaults(faults)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(faults, func(t *testing.T) { agree(t, membership(true), sim.Params{}, budgets) })
		t.Run(faults+", once", func(t *testing.T) { agree(t, membership(false), sim.Params{}, budgets) })
	}
}

// A node that says hello once may say it before another one joins. That one never hears it, so the
// run is dead. If the nodes repeat their hello, nothing is found.
func TestJoinsLater(t *testing.T) {
	res := search(t, membership(false), 0, nil, Options{Paths: 500})
	if f := res.Finding; f == nil || f.Verdict != trace.VerdictDead || f.Critical == nil {
		t.Fatalf("said once: found %v", f)
	}
	replayed(t, membership(false), res.Finding, false)
	res = search(t, membership(true), 0, nil, Options{Paths: 500})
	if res.Finding != nil {
		t.Errorf("said again and again: found %v", res.Finding)
	}
}

// A script is refused if a node joins after another signal, or does something after it has left.
func TestScriptOfMembers(t *testing.T) {
	for want, script := range map[string][]sim.Signal{
		"a node joins once, so it is the first signal of life 0":     {greet{}, sim.Join{}},
		"nothing happens on a node that has left, so it is the last": {sim.Leave{}, greet{}},
	} {
		sys := membership(false)
		sys.Script = func(sim.Params, sim.Addr, int) []sim.Signal { return script }
		if _, err := Search(sys, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", script, err)
		}
	}
}
