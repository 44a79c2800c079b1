package eventgraph

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// Every form of a graph shows which nodes are Byzantine, and how.
func TestByzantineNodesAreMarked(t *testing.T) {
	sys := &sim.System{
		Name: "members", Doc: "One is two.",
		New: func(sim.Params, sim.Addr) sim.Node { return &actor{} },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			return [][]sim.Signal{{do("tcp n1 hello")}, nil}[self.Index()]
		},
	}
	w, err := world.New(sys, sim.Params{Nodes: 2}, world.Config{Trace: true, Conditions: sim.Conditions{Byzantine: "twins@n1"}})
	if err != nil {
		t.Fatal(err)
	}
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		for range 2 {
			w.Step(choose.NewFixed(0, 2))
		}
	}); f != nil {
		t.Fatal(f)
	}
	g := New(w.Run.Trace(), w.Walker().Text, Marks{})
	for want, write := range map[string]func(io.Writer) error{
		"n1! Byzantine: twins":                    func(to io.Writer) error { return g.Text(to, TextOptions{}) },
		`class="box bad"`:                         func(to io.Writer) error { return g.SVG(to, Part{}) },
		"<title>n1 (Byzantine: twins)</title>":    func(to io.Writer) error { return g.SVG(to, Part{}) },
		`"bad":["","twins"]`:                      func(to io.Writer) error { return g.HTML(to, Part{}) },
		"participant n1 as n1 (Byzantine: twins)": func(to io.Writer) error { return g.Mermaid(to, Part{}) },
		`label="n1 (Byzantine: twins)"`:           func(to io.Writer) error { return g.DOT(to, Part{}) },
		"which twin gets the message":             func(to io.Writer) error { return g.Text(to, TextOptions{}) },
	} {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), want) {
			t.Errorf("a form lacks %q:\n%.3000s", want, text.String())
		}
	}
	if text := fmt.Sprint(w.Text.Lines()); !strings.Contains(text, "Byzantine") {
		t.Errorf("the state does not say that n1 is Byzantine:\n%s", text)
	}
}
