package raft

import (
	"testing"

	"macemc/choose"
	"macemc/sim"
)

func world(t testing.TB, nodes int, settings []string, bugs []string, config sim.Config) *sim.World {
	t.Helper()
	params, err := System.Configure(nodes, settings, bugs)
	if err != nil {
		t.Fatal(err)
	}
	if err := System.Validate(params); err != nil {
		t.Fatal(err)
	}
	w, err := sim.NewWorld(System, params, config)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestElectsAndApplies(t *testing.T) {
	w := world(t, 3, nil, nil, sim.Config{})
	source := choose.NewWalk(1)
	live, steps := 0, 0
	for i := range 100 {
		source.Restart(1, uint64(i))
		failure := w.Protect(func() {
			for w.Start(source); w.Check() == nil && !w.Live() && w.Steps() < 2000; {
				if w.Step(source) != sim.Stepped {
					return
				}
			}
			w.Hash()
		})
		if failure != nil {
			t.Fatalf("%+v", failure)
		}
		if w.Live() {
			live++
			steps += w.Steps()
		} else {
			n, e := w.NotLive()
			t.Log(i, n, e, w.Err())
		}
	}
	t.Log(live, steps, w.Unused())
}
