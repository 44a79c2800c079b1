package eventgraph

import (
	"bytes"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// When a node leaves, the messages on the way to it are lost, and it takes part in nothing after that. A node
// that joins later takes part from then on.
func TestMembers(t *testing.T) {
	sys := &sim.System{
		Name: "members", Doc: "One joins, one leaves.",
		New: func(sim.Params, sim.Addr) sim.Node { return &actor{} },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			return [][]sim.Signal{{do("tcp n1 hello")}, {sim.Leave{}}, {sim.Join{}}}[self.Index()]
		},
	}
	w, err := world.New(sys, sim.Params{}, world.Config{Trace: true, Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		for range 3 {
			w.Step(choose.NewFixed(0))
		}
	}); f != nil {
		t.Fatal(f)
	}
	g := New(w.Run.Trace(), w.Walker().Text, Marks{})
	spans := g.spans()
	if len(spans) != 1 || spans[0].kind != "gone" || spans[0].to != none || g.points[spans[0].from].Event.Node.Index() != 1 {
		t.Errorf("the spans are %+v", spans)
	}
	var text bytes.Buffer
	if err := g.Text(&text, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"n1 script Leave{}", "n2 script Join{}"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
}
