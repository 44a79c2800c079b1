package world

import (
	"testing"

	"macemc/choose"
	"macemc/sim"
)

// stair is a node that offers one step up, and accepts messages that are not above its height. Both depend on
// its state.
type stair struct{ At int }

type stepTo int

func (s *stair) Init(env sim.Env) {
	for _, to := range env.Peers() {
		env.UDP().Send(to, height(1))
	}
}
func (s *stair) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (s *stair) Handle(_ sim.Env, to sim.Signal)        { s.At = int(to.(stepTo)) }
func (s *stair) Offers(offer func(sim.Signal))          { offer(stepTo(s.At + 1)) }
func (s *stair) Accepts(_ sim.Addr, m sim.Message) bool { return s.At >= int(m.(height)) }

// height is a message that a stair accepts only once it stands at least that high.
type height int

// TestKeptStatesStay checks that a state which was loaded from a bank or a snapshot is not changed by the steps
// that the world then takes: when it is loaded again, its nodes offer and decline the same.
func TestKeptStatesStay(t *testing.T) {
	sys := &sim.System{
		Name: "stairs", Doc: "Each node climbs.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &stair{} },
	}
	for _, kept := range []string{"bank", "snapshot"} {
		w, err := New(sys, sim.Params{}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		walk := func(src choose.Source, steps int) {
			w.Start(src)
			for range steps {
				if w.Step(src) != Stepped {
					t.Fatal(w.Run.Err())
				}
			}
		}
		b := w.State.NewBank()
		walk(choose.NewWalk(1), 6)
		var back func()
		if kept == "bank" {
			v := make(Vector, b.Places())
			w.State.Save(b, v)
			back = func() { w.State.Load(b, v) }
		} else {
			w.State.Track()
			s := w.Snapshot(nil)
			back = func() { w.Restore(s) }
		}
		want := events(w)
		for seed := range uint64(3) {
			back()
			if got := events(w); got != want {
				t.Fatalf("%s: round %d offers\n%s, and the state that was kept\n%s", kept, seed, got, want)
			}
			walk(choose.NewWalk(seed), int(seed))
		}
	}
}
