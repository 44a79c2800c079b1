package search

import (
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/decide"
	"macemc/sim"
)

// names are alternatives by name.
type names []string

func (names) Why() string                { return "" }
func (n names) Alternative(i int) string { return n[i] }

// An event that waits is not picked while another that is not rare can happen,
// and then weighs what it did before.
func TestHold(t *testing.T) {
	ask := func(h *hold, weights ...float64) []float64 {
		q := &choose.Question{Kind: choose.Event, N: len(weights), Alternatives: names{"a", "b", "c", "d"}[:len(weights)]}
		for _, w := range weights {
			if n := len(q.Runs); n > 0 && q.Runs[n-1].Weight == w {
				q.Runs[n-1].N++
			} else {
				q.Runs = append(q.Runs, choose.Run{N: 1, Weight: w})
			}
		}
		before := slices.Clone(q.Runs)
		var out []float64
		for _, r := range h.without(q).Runs {
			for range r.N {
				out = append(out, r.Weight)
			}
		}
		if !slices.Equal(before, q.Runs) {
			t.Errorf("the question itself has become %v", q.Runs)
		}
		return out
	}
	h := &hold{left: 8, which: 1} // the second that is not rare
	for i, c := range [][2][]float64{
		{{2, 0, 2, 2}, {2, 0, 0, 2}}, // c is chosen
		{{2, 2, 2}, {2, 2, 0}},
		{{0, 0, 1}, {0, 0, 1}}, // nothing else can happen
		{{3, 1}, {3, 1}},       // it cannot
		{{1, 1, 1, 1}, {1, 1, 0, 1}},
	} {
		if got := ask(h, c[0]...); !slices.Equal(got, c[1]) {
			t.Errorf("question %d: %v became %v, want %v", i, c[0], got, c[1])
		}
	}
	if h.event != "c" || h.left != 3 {
		t.Errorf("%q waits for %d steps more", h.event, h.left)
	}
	h = &hold{begin: 2, left: 1}
	for i, want := range [][]float64{{1, 1}, {1, 1}, {0, 1}} {
		if got := ask(h, 1, 1); !slices.Equal(got, want) {
			t.Errorf("step %d: %v, want %v", i, got, want)
		}
	}
}

// patient is live once it has done its work twelve times before it closes: of
// the walks in which both are alike, one in 4,096 gets there.
type patient struct {
	Done   int
	Closed bool
}

type (
	work    struct{}
	closing struct{}
)

func (p *patient) Init(sim.Env)                           {}
func (p *patient) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (p *patient) Handle(_ sim.Env, s sim.Signal) {
	if _, is := s.(work); is {
		p.Done++
	} else {
		p.Closed = true
	}
}
func (p *patient) Offers(offer func(sim.Signal)) {
	if !p.Closed && p.Done < 12 {
		offer(closing{})
		offer(work{})
	}
}

// Walks in which an event waits meet the narrow escape, and can be taken again
// without it.
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
	path := &choose.Path{Header: Describe(sys, sim.Params{Nodes: 1}, nil)}
	path.Add("seed", "1")
	path.Add("verdict", sim.VerdictNone.String())
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
