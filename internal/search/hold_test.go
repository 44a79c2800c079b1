package search

import (
	"testing"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/sim"
	"macemc/trace"
)

// patient is live after it has worked twelve times. Each step either works or closes it for ever,
// so one in 4,096 walks that take both with equal chances becomes live.
type patient struct {
	Done   int
	Closed bool
}

type (
	labour  struct{}
	closing struct{}
)

func (p *patient) Init(sim.Env)                           {}
func (p *patient) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (p *patient) Handle(_ sim.Env, s sim.Signal) {
	if _, is := s.(labour); is {
		p.Done++
	} else {
		p.Closed = true
	}
}
func (p *patient) Offers(offer func(sim.Signal)) {
	if !p.Closed && p.Done < 12 {
		offer(closing{})
		offer(labour{})
	}
}

// If walks delay an event, some become live although few walks by weight do, and these walks can be
// repeated without delaying anything.
func TestHeldWalks(t *testing.T) {
	sys := &sim.System{
		Name: "patient", Doc: "A node works, and closes.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &patient{} },
		Properties: []sim.Property{sim.Eventually("the work is done", func(v sim.View[*patient]) bool {
			for _, p := range v.Nodes() {
				return p.Done == 12
			}
			return false
		})},
	}
	path := &choose.Path{Header: Describe(sys, sim.Params{Nodes: 1})}
	path.Add("seed", "1")
	path.Add("verdict", trace.VerdictNone.String())
	lab, err := NewLab(sys, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	of, err := lab.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	live := map[bool]int{}
	for _, hold := range []bool{false, true} {
		manner := decide.Plain
		if hold {
			manner = decide.Holding
		}
		w, err := lab.Walk(of, Walks{Count: 60, Steps: 100, All: true, Manner: manner})
		if err != nil {
			t.Fatal(err)
		}
		live[hold] = len(w.Success)
		for _, s := range w.Success {
			if f, err := lab.Record(of, s); err != nil || len(f.Path.Steps) != 12 {
				t.Errorf("walk %d, taken again: %v", s.Number, err)
			}
		}
	}
	if live[false] > 0 || live[true] < 10 {
		t.Errorf("of 60 walks %d became live, and %d of those in which an event waits", live[false], live[true])
	}
}
