package search

import (
	"slices"
	"testing"
	"time"

	"macemc/macetime"
	"macemc/sim"
)

// hoarder records the time of every ring. It keeps all times or, with thrift, only the last one.
type hoarder struct {
	Kept   []macetime.Time
	Last   macetime.Time
	thrift bool
}

func (h *hoarder) Init(env sim.Env) {
	h.Last = env.Now()
	env.After(time.Second, ring(0))
}

func (h *hoarder) Deliver(sim.Env, sim.Addr, sim.Message) {}

func (h *hoarder) Handle(env sim.Env, _ sim.Signal) {
	now := env.Now()
	if env.Before(h.Last.Add(time.Second), now) && !h.thrift {
		h.Kept = append(h.Kept, now)
	}
	h.Last = now
	env.After(time.Second, ring(0))
}

// TestSpaceNamesTimes: if a service keeps more and more times, the profile of the space names their fields.
func TestSpaceNamesTimes(t *testing.T) {
	for _, thrift := range []bool{false, true} {
		sys := &sim.System{
			Name: "hoarders", Doc: "Nodes that keep times.",
			Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:        func(sim.Params, sim.Addr) sim.Node { return &hoarder{thrift: thrift} },
			Properties: []sim.Property{sim.Always("it is there", func(v sim.View[*hoarder]) bool { return v.Len() == 1 })},
		}
		res, err := Search(sys, Options{ProfileSpace: true, Depth: 30, NoWalks: true})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if !thrift {
			want = []string{"n*.Kept[*]", "n*.Last"}
		}
		if !slices.Equal(res.Space.Times, want) {
			t.Errorf("thrift %v: the times that make it grow are %q, want %q; safety %s", thrift, res.Space.Times, want, res.Safety.State)
		}
	}
}
