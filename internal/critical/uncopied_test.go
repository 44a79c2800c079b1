package critical_test

import (
	"strings"
	"testing"
	"time"

	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/sim"
)

// An asker asks once, and holds a function with a variable, so that it cannot be copied.
type asker struct {
	Got   bool
	Ticks int
	noted func() `mc:"-"`
}

type (
	asks    struct{}
	answers struct{}
)

func (a *asker) Init(env sim.Env) {
	a.noted = func() { a.Got = true }
	env.After(time.Second, tick{})
}

func (a *asker) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	if _, ok := m.(asks); ok {
		env.UDP().Send(from, answers{})
		return
	}
	a.noted()
}

func (a *asker) Handle(env sim.Env, s sim.Signal) {
	if _, ok := s.(asks); ok {
		env.UDP().Send(env.Peers()[0], asks{})
		return
	}
	a.Ticks = (a.Ticks + 1) % 5
	env.After(time.Second, tick{})
}

// If nodes cannot be copied, every run is taken from its start. The finding is the same, its
// critical step is right, and its run becomes as short as possible.
func TestUncopied(t *testing.T) {
	sys := &sim.System{
		Name: "askers", Doc: "The first asks the second.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:   func(sim.Params, sim.Addr) sim.Node { return new(asker) },
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{asks{}}
			}
			return nil
		},
		Tolerates: sim.Faults{Loss: 1, Crash: 1},
		Properties: []sim.Property{sim.Eventually("it is answered", func(v sim.View[*asker]) bool {
			a, up := v.At(v.Params().Addr(0))
			return up && a.Got
		})},
	}
	params, err := sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := search.Search(sys, search.Options{Params: params, Depth: 1, EvidenceWalks: 300, WalkSteps: 300})
	if err != nil || res.Finding == nil || !strings.Contains(res.Stats.Uncopied, "has variables") {
		t.Fatalf("%v, found %+v, copied: %q", err, res.Finding, res.Stats.Uncopied)
	}
	opts := critical.Options{Search: search.Options{EvidenceWalks: 30, WalkSteps: 300, MaxWalkSteps: 300}}
	f := find(t, sys, res.Finding, opts)
	if f.Live == nil {
		t.Error("no run is known that recovers")
	}
	short, err := critical.Shrink(sys, f, opts)
	if err != nil {
		t.Fatal(err)
	}
	n, c := len(short.Finding.Path.Steps), short.Finding.Critical
	if c == nil || c.Step != n || n > 3 || !strings.Contains(c.Event, "lose") {
		t.Errorf("of %d steps %d are left, and critical is %+v", res.Finding.Step, n, c)
	}
	t.Logf("of %d steps %d are left; %s", res.Finding.Step, n, c.Event)
}
