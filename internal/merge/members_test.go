package merge

import (
	"testing"
	"time"

	"macemc/internal/search"
	"macemc/live"
	"macemc/sim"
)

// guest greets the first node until it is heard; the first node answers.
type guest struct{ heard, gone int }

type (
	knock  struct{}
	hi     struct{}
	answer struct{}
)

func (g *guest) Init(env sim.Env) {
	if env.Self().Index() > 0 {
		env.After(10*time.Millisecond, knock{})
	}
}

func (g *guest) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case knock:
		env.TCP().Send(env.Peers()[0], hi{})
		if env.Self().Index() == 1 { // a node that has yet to join is not reached
			env.TCP().Send(env.Peers()[1], hi{})
		}
		env.After(10*time.Millisecond, knock{})
	case sim.PeerError:
		g.gone++
	}
}

func (g *guest) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	g.heard++
	if _, is := m.(hi); is && env.Self().Index() == 0 {
		env.TCP().Send(from, answer{})
	}
}

var guests = &sim.System{
	Name: "guests", Doc: "A host, one who leaves, and one who joins.",
	Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
	New:   func(sim.Params, sim.Addr) sim.Node { return &guest{} },
	Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal {
		return [][]sim.Signal{nil, {sim.Leave{}}, {sim.Join{}}}[self.Index()]
	},
	Properties: []sim.Property{sim.Eventually("the host has heard ten", func(v sim.View[*guest]) bool {
		for _, g := range v.Nodes() {
			if g.heard > 9 {
				return true
			}
		}
		return false
	})},
}

// TestJoinAndLeaveLive checks, with live nodes and in the simulation, that a node gets no message before it joins, and
// that a node which leaves is gone for good and its peers learn of it.
func TestJoinAndLeaveLive(t *testing.T) {
	p, err := guests.Configure(3, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := new(tapes)
	follow, err := live.Follow(guests, p, kept.keep)
	if err != nil {
		t.Fatal(err)
	}
	h, err := live.Start(guests, live.Config{Params: p, Record: follow.Record, Stay: 200 * time.Millisecond, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	done := func(w *live.Watch) bool {
		is, _ := w.Live()
		s := w.Statuses()
		return is && s[0].Steps > 20 && s[2].Up && !s[1].Up && s[1].Steps > 0
	}
	if !follow.Wait(20*time.Second, done) {
		follow.Look(func(w *live.Watch) { t.Errorf("after %d steps: %+v", w.Steps(), w.Statuses()) })
	}
	if err := h.Restart(1); err == nil {
		t.Error("who has left for good comes back")
	}
	if err := h.Stop(); err != nil {
		t.Error(err)
	}
	follow.Close()
	follow.Look(func(w *live.Watch) {
		for _, v := range w.Violations() {
			t.Error(v.String())
		}
	})
	r, err := Merge(guests, kept.readers())
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d steps, %d faults, %q", r.Steps, r.Faults, r.Differences); r.Parted || r.Failure != nil {
		t.Fatalf("parted; failure %+v", r.Failure)
	}
	if again, err := search.Replay(guests, r.Path, search.Options{}); err != nil || !again.Reproduced {
		t.Errorf("the path comes to %+v, %v", again, err)
	}
}
