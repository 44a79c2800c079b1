package eventgraph

import (
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

type tally struct{ sum int }

type ballot int

func (n *tally) vote(env sim.Env, b ballot) { env.Bag().Send(env.Peers()[0], b) }
func (n *tally) size() int                  { return 3 }
func (n *tally) match(sim.Addr, ballot) (all struct{}, ok bool) {
	return all, true
}

func (n *tally) count(_ sim.Env, of []sim.Sent[ballot]) {
	for _, b := range of {
		n.sum += int(b.Message)
	}
}

// An event that takes several messages is one event with an arrow from each sender.
func TestQuorumIsDrawn(t *testing.T) {
	table := sim.Handle(sim.OnSignal((*tally).vote), sim.OnQuorum((*tally).size, (*tally).match, (*tally).count))
	sys := &sim.System{
		Name: "tally", Doc: "Counts.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 4, Least: 4, Most: 4} },
		New:   func(sim.Params, sim.Addr) sim.Node { return table.Node(&tally{}) },
		Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal {
			return []sim.Signal{ballot(self.Index())}[:min(1, self.Index())]
		},
	}
	w, err := world.New(sys, sim.Params{Nodes: 4}, world.Config{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	src := choose.NewOdometer()
	w.Protect(func() {
		for w.Start(src); w.Step(src) == world.Stepped; {
		}
	})
	g := New(w.Run.Trace(), w.Walker().Text, Marks{})
	for form, want := range map[string][]string{
		"text":    {"●◀━━━━━━┥━━━━━━━┥━━━━━━━┥", "n0 quorum ballot(1) from n1 by bag, ballot(2) from n2 by bag,", "#1 sent at 1", "#3 sent at 3"},
		"mermaid": {"n1->>n0: 4 at once: ballot(1) #35;1", "n3->>n0: 4 at once: ballot(3) #35;3"},
	} {
		var b strings.Builder
		draw := map[string]func() error{"text": func() error { return g.Text(&b, TextOptions{}) }, "mermaid": func() error { return g.Mermaid(&b, Part{}) }}[form]
		if err := draw(); err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s has no %q:\n%s", form, part, b.String())
			}
		}
	}
	arrows := 0
	for _, f := range g.flights() {
		if f.kind == flightDelivered && g.number(f.to) == 4 {
			arrows++
		}
	}
	if arrows != 3 || len(g.Slice(4).steps()) != 4 {
		t.Errorf("%d arrows lead to the quorum, and it depends on the steps %v", arrows, g.Slice(4).steps())
	}
}
