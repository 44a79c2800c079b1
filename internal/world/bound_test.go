package world_test

import (
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/world"
	"macemc/sim"
)

// ticker holds a method value of itself, as some libraries do, or a literal.
type ticker struct {
	N       int
	literal bool
	tick    func() `mc:"-"`
}

func (t *ticker) Init(sim.Env) {
	if t.tick = t.advance; t.literal {
		t.tick = func() { t.N++ }
	}
}
func (t *ticker) advance()                               { t.N++ }
func (t *ticker) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (t *ticker) Handle(sim.Env, sim.Signal)             { t.tick() }

// plain holds a function without variables, which a copy may share.
type plain struct {
	step func(*plain) `mc:"-"`
}

func stepPlain(*plain) {}

func (p *plain) Init(sim.Env)                           { p.step = stepPlain }
func (p *plain) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (p *plain) Handle(sim.Env, sim.Signal)             {}

// TestBound checks that a node with a function literal that has variables is reported as one that cannot
// be copied, and that a node with a method value, or with a function without variables, can be copied.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		node func() sim.Node
		want string
	}{
		{func() sim.Node { return &ticker{literal: true} }, "the function macemc/internal/world_test.(*ticker).Init.func1 has variables"},
		{func() sim.Node { return &ticker{} }, ""},
		{func() sim.Node { return &plain{} }, ""},
	} {
		if canon.Slow() != "" && c.want == "" {
			continue // where functions are not known, no method value is
		}
		sys := &sim.System{Name: "bound", Doc: "It holds a function.", New: func(sim.Params, sim.Addr) sim.Node { return c.node() }}
		w, err := world.New(sys, sim.Params{Nodes: 2}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		w.Protect(func() { w.Start(choose.NewFixed()) })
		if got := w.State.Bound(); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("bound is %q, want %q", got, c.want)
		}
	}
}
