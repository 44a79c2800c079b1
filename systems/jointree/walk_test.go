package jointree

import (
	"testing"

	"macemc/choose"
	"macemc/sim"
)

// run says how one walk ended.
type run struct {
	failure *sim.Failure
	live    bool
	steps   int
}

// walks takes random walks: walk i goes i%200 steps at random, and then, from
// wherever it is, until it is live, for at most 2,000 more. It stops when
// visit says so.
func walks(t *testing.T, sys *sim.System, nodes int, settings, bugs []string, many int, visit func(*sim.World, run) bool) {
	t.Helper()
	params, err := sys.Configure(nodes, settings, bugs)
	if err != nil {
		t.Fatal(err)
	}
	if err := sys.Validate(params); err != nil {
		t.Fatal(err)
	}
	w, err := sim.NewWorld(sys, params, sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	source := choose.NewWalk(1)
	for i := range many {
		source.Restart(1, uint64(i))
		if r := walk(w, source, i%200, 2000); !visit(w, r) {
			return
		}
		if w.Err() != nil {
			t.Fatal(w.Err())
		}
	}
}

func walk(w *sim.World, source choose.Source, free, most int) (r run) {
	r.failure = w.Protect(func() {
		for w.Start(source); w.Check() == nil; r.steps++ {
			if r.steps >= free && w.Live() {
				r.live = true
				return
			}
			if r.steps >= free+most || w.Step(source) != sim.Stepped {
				return
			}
		}
	})
	if r.failure == nil && !r.live {
		r.live = w.Live()
	}
	return r
}
