package critical_test

import (
	"sync/atomic"
	"testing"
	"time"

	"macemc/internal/critical"
	"macemc/internal/long"
	"macemc/internal/search"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// granted waits for a grant, which another node sends once. Meanwhile it may be promoted, which does not
// bring the grant.
type granted struct{ Promoted, OK bool }

func (g *granted) Init(env sim.Env)                       { env.After(time.Second, "tick") }
func (g *granted) Deliver(sim.Env, sim.Addr, sim.Message) { g.OK = true }
func (g *granted) Handle(env sim.Env, s sim.Signal) {
	switch s {
	case "promote":
		g.Promoted = true
		return
	case "tick": // so that it never comes to rest
		env.After(time.Second, "tick")
		return
	}
	for _, to := range env.Peers() {
		env.TCP().Send(to, "grant")
	}
}

// granting returns a system whose run is dead if n1 goes down before it has sent the grant and n0 was
// promoted. Without the promotion, that state is outside Assume and does not count.
func granting() *sim.System {
	first := func(v sim.View[*granted]) *granted {
		for at, n := range v.Nodes() {
			if at.String() == "n0" {
				return n
			}
		}
		return nil
	}
	return &sim.System{
		Name: "granting", Doc: "A node waits for another.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &granted{} },
		Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal {
			return []sim.Signal{map[string]string{"n0": "promote", "n1": "ask"}[self.String()]}
		},
		Tolerates:  sim.Faults{Down: 1},
		Assume:     sim.While("n1 is up, or n0 promoted", func(v sim.View[*granted]) bool { n := first(v); return v.Len() == 2 || n != nil && n.Promoted }),
		Properties: []sim.Property{sim.Eventually("n0 has its grant", func(v sim.View[*granted]) bool { n := first(v); return n != nil && n.OK })},
	}
}

// TestShrinkingKeepsAssumption: the assumption holds at the end of a shortened run. Without it the run would
// violate nothing.
func TestShrinkingKeepsAssumption(t *testing.T) {
	sys := granting()
	r, err := search.Search(sys, search.Options{})
	if err != nil || r.Verdict() != trace.VerdictDead {
		t.Fatal(err, r.Finding)
	}
	for _, exhaust := range []int{0, -1}[:long.Of(1, 2)] {
		c, err := critical.Explain(sys, r.Finding, critical.Options{Exhaust: exhaust}, true)
		if err != nil || c.Alive {
			t.Fatal(err, c)
		}
		f := c.Finding
		assumed := false
		again, err := search.Replay(sys, f.Path, search.Options{See: func(w *world.World) { assumed = w.Judge.Assumed() }})
		if err != nil || !again.Reproduced || !assumed {
			t.Errorf("exhaust %d: %v, reproduced %v, the assumption holds at its end: %v; of %+v", exhaust, err, again.Reproduced, assumed, f.Path.Steps)
		}
	}
	// A path that was recorded as dead is not dead for any command if the assumption does not
	// hold at its end.
	wrong := *r.Finding
	wrong.Path = r.Finding.Path.Prefix(0)
	wrong.Path.Header = r.Finding.Path.Header
	for _, s := range r.Finding.Path.Steps {
		if s.Event.What == "n1 down" {
			wrong.Path.Steps = append(wrong.Path.Steps, s)
		}
	}
	wrong.Path.Unset("state")
	wrong.Path.Unset("critical")
	if again, err := search.Replay(sys, wrong.Path, search.Options{ByIdentity: true}); err != nil || again.Finding.Verdict != trace.VerdictNone {
		t.Errorf("%v, %+v", err, again)
	}
}

// TestAssumptionIsDecided: if a run of a system with an assumption is decided exactly, no walks are taken to
// decide it again. A few states are enough here, while walks would never end.
func TestAssumptionIsDecided(t *testing.T) {
	var asked atomic.Int64
	sys := granting()
	sys.Properties = append(sys.Properties, sim.Always("counted", func(sim.View[*granted]) bool { asked.Add(1); return true }))
	r, err := search.Search(sys, search.Options{})
	if err != nil || r.Verdict() != trace.VerdictDead {
		t.Fatal(err, r.Finding)
	}
	c, err := critical.Explain(sys, r.Finding, critical.Options{}, true)
	if err != nil || c.Alive || !c.Finding.Critical.Exact || !c.Finding.Proved {
		t.Fatalf("%v, %+v", err, c)
	}
	if n := asked.Load(); n > 100_000 {
		t.Errorf("%d states were looked at", n)
	}
}
