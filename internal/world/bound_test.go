package world_test

import (
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// ticker holds a method value of itself, as some libraries do.
type ticker struct {
	N    int
	tick func() `mc:"-"`
}

func (t *ticker) Init(sim.Env)                           { t.tick = t.advance }
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

// TestBound: a function that is bound to a node is seen, a plain one is none.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		node func() sim.Node
		want string
	}{
		{func() sim.Node { return &ticker{} }, "ticker).advance-fm"},
		{func() sim.Node { return &plain{} }, ""},
	} {
		sys := &sim.System{Name: "bound", Doc: "It holds a function.", New: func(sim.Params, sim.Addr) sim.Node { return c.node() }}
		w, err := world.New(sys, sim.Params{Nodes: 2}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		w.Protect(func() { w.Start(choose.NewFixed()) })
		if got := w.Bound(); c.want == "" && got != "" || !strings.HasSuffix(got, c.want) {
			t.Errorf("bound is %q, want %q", got, c.want)
		}
	}
}
