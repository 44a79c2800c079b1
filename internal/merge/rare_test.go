package merge

import (
	"testing"
	"time"

	"macemc/live"
	"macemc/macetime"
	"macemc/sim"
)

// rarity waits, and then compares two times; the result that it gets is rare in the simulation.
type rarity struct {
	Since macetime.Time
	Late  bool
}

type wait struct{}

func (r *rarity) start(env sim.Env) {
	r.Since = env.Now()
	env.After(time.Millisecond, wait{})
}

func (r *rarity) waited(env sim.Env, _ wait) { r.Late = env.BeforeWeighted(r.Since, env.Now(), 0, 1) }

var rareNode = sim.Handle(sim.OnInit((*rarity).start), sim.OnSignal((*rarity).waited))

// TestRareAnswersAreMerged checks that an answer that nodes got in a live run is possible in the simulation, even if it is
// rare there.
func TestRareAnswersAreMerged(t *testing.T) {
	sys := &sim.System{
		Name: "rarity", Doc: "A node that does what is rare.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return rareNode.Node(&rarity{}) },
		Properties: []sim.Property{sim.Eventually("it was late", func(v sim.View[*rarity]) bool {
			for _, r := range v.Nodes() {
				return r.Late
			}
			return false
		})},
	}
	p, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := new(tapes)
	follow, err := live.Follow(sys, p, kept.keep)
	if err != nil {
		t.Fatal(err)
	}
	h, err := live.Start(sys, live.Config{Params: p, Record: follow.Record})
	if err != nil {
		t.Fatal(err)
	}
	if !follow.Wait(time.Minute, func(w *live.Watch) bool { is, _ := w.Live(); return is }) {
		t.Error("the node was never late")
	}
	if err := h.Stop(); err != nil {
		t.Error(err)
	}
	follow.Close()
	r, err := Merge(sys, kept.readers())
	if err != nil {
		t.Fatal(err)
	}
	if r.Parted || r.Failure != nil || r.Left > 0 {
		t.Errorf("parted: %t, %d steps left, failure %+v: %q", r.Parted, r.Left, r.Failure, r.Differences)
	}
}
