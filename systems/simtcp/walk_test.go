package simtcp

import (
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// run describes how one stormy walk ended.
type run struct {
	failure *trace.Failure
	live    bool
	steps   int
	events  map[sim.Kind]int
}

// newWorld makes a world of System in which these faults may happen.
func newWorld(t *testing.T, nodes int, faults sim.Faults, bugs ...string) *world.World {
	t.Helper()
	params, err := System.Configure(nodes, nil, bugs)
	if err == nil {
		err = System.Validate(params)
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(System, params, world.Config{Conditions: sim.Conditions{Faults: &faults}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// storm takes storming steps, in which all events, faults included, are equally likely. Then it heals the
// environment, and goes on by weight until the state is live, for at most calm steps.
func storm(w *world.World, source *choose.Walk, storming, calm int) (r run) {
	r.events = map[sim.Kind]int{}
	counted := counted{source, w, r.events}
	r.failure = w.Protect(func() {
		source.Uniform, source.Rare = true, true
		w.Start(source)
		for ; w.Judge.Check() == nil && r.steps < storming; r.steps++ {
			if w.Step(counted) != world.Stepped {
				break
			}
		}
		source.Uniform, source.Rare = false, false
		w.Heal(source)
		for ; w.Judge.Check() == nil && r.steps < storming+calm; r.steps++ {
			if r.live = w.Judge.Live(); r.live || w.Step(counted) != world.Stepped {
				return
			}
		}
	})
	return r
}

// counted is a Source that records which kinds of events are picked.
type counted struct {
	*choose.Walk
	w     *world.World
	kinds map[sim.Kind]int
}

func (c counted) Answer(q *choose.Question) int {
	k := c.Walk.Answer(q)
	if q.Kind == choose.Event && k >= 0 {
		c.kinds[c.w.Events.At(k).Kind]++
	}
	return k
}
