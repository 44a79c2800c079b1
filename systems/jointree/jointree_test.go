package jointree

import (
	"fmt"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/macetest"
	"macemc/sim"
)

// All nodes find a parent, or can still find one.
func TestCorrect(t *testing.T) {
	for _, c := range []struct {
		nodes   int
		ballast string
		walks   int
	}{
		{3, "ballast=none", long.Of(400, 2_000)},
		{4, "ballast=none", long.Of(400, 2_000)},
		{8, "ballast=none", long.Of(100, 500)},
		{4, "ballast=1KB", long.Of(100, 500)},
		{4, "ballast=20KB", long.Of(5, 20)},
	} {
		t.Run(fmt.Sprintf("%d nodes, %s", c.nodes, c.ballast), func(t *testing.T) {
			macetest.Run(t, System, macetest.Options{Nodes: c.nodes, Params: []string{c.ballast}, Transitions: long.Of(2_000, 5_000), Walks: c.walks})
		})
	}
}

// With every ballast a walk takes the same steps, and the same states are equal.
func TestBallastChangesNoCount(t *testing.T) {
	var counts [3]int
	for i, ballast := range Ballast.Words {
		params, err := System.Configure(0, []string{"ballast=" + ballast}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := world.New(System, params, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		source, seen := choose.NewWalk(7), map[any]bool{}
		if f := w.Protect(func() {
			for w.Start(source); w.Run.Steps() < 5_000; w.Step(source) {
				seen[w.State.Hash()] = true
			}
		}); f != nil {
			t.Fatalf("%+v", f)
		}
		counts[i] = len(seen)
	}
	if counts[0] != counts[1] || counts[0] != counts[2] || counts[0] < 1_000 {
		t.Errorf("distinct states in 5,000 steps: %v", counts)
	}
	t.Log(counts)
}

// The space has the size that the package documents, on which benchmarks rely.
func TestSize(t *testing.T) {
	for _, c := range []struct{ depth, states, transitions int }{
		{6, 4_633, 14_466},
		{8, 38_119, 133_678},
	} {
		r, err := search.Search(System, search.Options{Depth: c.depth, Step: c.depth, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Finding != nil || r.Stats.States != c.states || r.Stats.Transitions != c.transitions {
			t.Errorf("depth %d: %d states, %d transitions, %+v; want %d, %d and no finding",
				c.depth, r.Stats.States, r.Stats.Transitions, r.Finding, c.states, c.transitions)
		}
	}
}

// idle is an Env that does nothing and allocates nothing.
type idle struct {
	sim.Env
	self  sim.Addr
	peers []sim.Addr
	coin  int
}

func (e *idle) Self() sim.Addr                  { return e.self }
func (e *idle) Peers() []sim.Addr               { return e.peers }
func (e *idle) TCP() sim.Conn                   { return nowhere{} }
func (e *idle) After(time.Duration, sim.Signal) {}
func (e *idle) Cancel(sim.Signal)               {}
func (e *idle) Tracing() bool                   { return false }
func (e *idle) Choose(n int, _ string) int      { e.coin++; return e.coin % n }

type nowhere struct{ sim.Conn }

func (nowhere) Send(sim.Addr, sim.Message) bool { return true }

// Handlers allocate no memory, whatever arrives in whatever order, with ballast or without.
func TestNoAllocation(t *testing.T) {
	params, err := System.Configure(0, []string{"ballast=1KB"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := params.Addrs()
	for i, self := range all {
		n := System.New(params, self)
		env := &idle{self: self, peers: append(append([]sim.Addr{}, all[:i]...), all[i+1:]...)}
		n.Init(env)
		messages := []sim.Message{accept{}, leave{}, probe{}, alive{}, redirect{all[0]}}
		for _, a := range env.peers {
			messages = append(messages, join{a})
		}
		k := 0
		each := testing.AllocsPerRun(1_000, func() {
			k += 7 // no divisor of the counts below, so that all pairs meet
			n.Deliver(env, env.peers[k%len(env.peers)], messages[k%len(messages)])
			n.Handle(env, joinTimer{})
			n.Handle(env, recoverTimer{})
		})
		if each > 0 {
			t.Errorf("%v: %v allocations for three events", self, each)
		}
	}
}
