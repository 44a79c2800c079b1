package world

import (
	"fmt"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/sim"
)

// box is a layer that carries a caller, and only passes messages on.
type box struct {
	*caller
	Seen int
}

func (b *box) Upper() sim.Node { return b.caller }

type (
	caller struct{ Calls int }
	callee struct{ Heard int }
	ring   struct{ N int }
)

func (c *caller) Init(sim.Env)                           {}
func (c *caller) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *caller) Handle(env sim.Env, _ sim.Signal) {
	c.Calls++
	env.TCP().Send(env.Peers()[0], ring{c.Calls})
	env.UDP().Send(env.Peers()[0], ring{10 * c.Calls})
	env.Set().Send(env.Peers()[0], ring{100})
	env.Bag().Send(env.Peers()[0], ring{1000})
	env.Bag().Send(env.Peers()[0], "hello")
}

func (c *callee) Init(sim.Env)                           {}
func (c *callee) Deliver(sim.Env, sim.Addr, sim.Message) { c.Heard++ }
func (c *callee) Handle(sim.Env, sim.Signal)             {}

// TestSee checks that one property can see nodes of several types, layers of one node, and the messages under
// way, all as they are in the present state.
func TestSee(t *testing.T) {
	var story []string
	sys := &sim.System{
		Name: "boxes", Doc: "Calls.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New: func(p sim.Params, self sim.Addr) sim.Node {
			if self == p.Addr(0) {
				return &box{caller: &caller{}}
			}
			return &callee{}
		},
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{start{}, start{}}
			}
			return nil
		},
		Properties: []sim.Property{sim.Always("seen", func(v sim.View[*callee]) bool {
			line := ""
			for a, c := range v.Nodes() {
				line += fmt.Sprint(a, " heard ", c.Heard)
			}
			for a, c := range sim.See[*caller](v).Nodes() {
				line += fmt.Sprint(", ", a, " calls ", c.Calls)
			}
			line += fmt.Sprint(" in ", sim.See[*box](v).Len(), " box:")
			for m := range sim.UnderWay[ring](v) {
				line += fmt.Sprint(" ", m.From, m.To, " ", m.Link, " ", m.Message.N)
			}
			for range sim.UnderWay[any](v) {
				line += "."
			}
			story = append(story, line)
			return true
		})},
	}
	w, err := New(sys, sim.Params{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Judge.Check()
		for range 3 { // two openings, then the message on the connection
			if w.Judge.Looked() != true || w.Judge.Looked() {
				t.Error("what a view looked at was not noted, or not once")
			}
			w.Events.Count()
			w.Step(choose.NewFixed(0))
			w.Judge.Check()
		}
	})
	if f != nil {
		t.Fatal(f)
	}
	want := `n1 heard 0, n0 calls 0 in 1 box:
n1 heard 0, n0 calls 1 in 1 box: n0 n1 tcp 1 n0 n1 udp 10 n0 n1 set 100 n0 n1 bag 1000.....
n1 heard 0, n0 calls 2 in 1 box: n0 n1 tcp 1 n0 n1 tcp 2 n0 n1 udp 10 n0 n1 udp 20 n0 n1 set 100 n0 n1 bag 1000 n0 n1 bag 1000.........
n1 heard 1, n0 calls 2 in 1 box: n0 n1 tcp 2 n0 n1 udp 10 n0 n1 udp 20 n0 n1 set 100 n0 n1 bag 1000 n0 n1 bag 1000........`
	if got := strings.Join(story, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestEach checks that a property made by Each is evaluated for each node that a step changed, by itself, and
// that it panics with advice if it looks at more than one node.
func TestEach(t *testing.T) {
	var asked []string
	sys := &sim.System{
		Name: "calls", Doc: "Calls.",
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 3, Least: 3, Most: 3} },
		New:   func(sim.Params, sim.Addr) sim.Node { return &caller{} },
		Script: func(p sim.Params, self sim.Addr, life int) []sim.Signal {
			if self == p.Addr(1) {
				return []sim.Signal{start{}, start{}}
			}
			return nil
		},
		Properties: []sim.Property{
			sim.Each("at most one call", func(v sim.View[*caller]) bool {
				for a, c := range v.Nodes() {
					asked = append(asked, fmt.Sprint(a, " of ", v.Len()))
					return c.Calls < 2
				}
				return true
			}, func(v sim.View[*caller]) string {
				for a := range v.Nodes() {
					return fmt.Sprint(a, " calls again")
				}
				return ""
			}),
		},
	}
	w, err := New(sys, sim.Params{Nodes: 3}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	src := choose.NewWalk(1)
	said := func(what string, want ...string) {
		t.Helper()
		if got := strings.Join(asked, ", "); got != strings.Join(want, ", ") {
			t.Errorf("%s: asked of %s, want %s", what, got, strings.Join(want, ", "))
		}
		asked = nil
	}
	w.Start(src)
	if f := w.Judge.Check(); f != nil {
		t.Fatal(f)
	}
	said("at the start", "n0 of 1", "n1 of 1", "n2 of 1")
	if f := w.Judge.Check(); f != nil {
		t.Fatal(f)
	}
	said("again")
	w.Step(choose.NewFixed(0))
	if f := w.Judge.Check(); f != nil {
		t.Fatal(f)
	}
	said("after a call", "n1 of 1")
	w.Step(choose.NewFixed(0))
	f := w.Judge.Check()
	if f == nil || !strings.Contains(f.Message, "n1 calls again") {
		t.Errorf("the second call is not found: %+v", f)
	}
	asked = nil

	sys.Properties = []sim.Property{sim.Each("too curious", func(v sim.View[*caller]) bool { return v.InFlight() == 0 })}
	w, err = New(sys, sim.Params{Nodes: 3}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	failure := w.Protect(func() {
		w.Start(src)
		w.Judge.Check()
	})
	if failure == nil || !strings.Contains(failure.Message, "make it by Always") {
		t.Errorf("a property of Each that counts messages: %+v", failure)
	}
}
