package world

import (
	"testing"

	"macemc/choose"
	"macemc/sim"
)

// shadowed is a node with fields that are not part of its identity.
type shadowed struct {
	Seen   int
	Next   *shadowed
	Hidden int            `mc:"-"`
	Table  map[string]int `mc:"-"`
}

func (*shadowed) Init(sim.Env)                           {}
func (*shadowed) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*shadowed) Handle(sim.Env, sim.Signal)             {}

// TestTwin checks that a bank keeps two nodes with the same identity: Load loads the first, Twin puts the
// second in its place, and Hidden names the field in which they differ.
func TestTwin(t *testing.T) {
	for hidden, want := range map[int]string{0: "", 7: "n0.Hidden is 0 in one and 7 in the other"} {
		starts := -1
		shadows := func() *World {
			w, err := New(&sim.System{
				Name: "shadowed", Doc: "Nodes that hide something.",
				New: func(sim.Params, sim.Addr) sim.Node { return &shadowed{Hidden: starts * hidden} },
			}, sim.Params{}, Config{})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		first, second := shadows(), shadows()
		bank := first.State.NewBank()
		at := make(Vector, bank.Places())
		for _, w := range []*World{first, first} {
			starts++
			if f := w.Protect(func() { w.Start(choose.NewFixed()); w.State.Save(bank, at) }); f != nil {
				t.Fatal(f)
			}
			second.State.Load(bank, at)
			if n := second.nodes.at[0].node.(*shadowed); n.Hidden != 0 {
				t.Errorf("loaded is not the first node: %+v", n)
			}
			if is := second.State.Twin(bank, 0, at[0]); is != (starts > 0) {
				t.Fatalf("after %d starts it has a twin: %v", starts+1, is)
			}
			if n := second.nodes.at[0].node.(*shadowed); n.Hidden != starts*hidden || !second.nodes.at[0].shared {
				t.Errorf("after %d starts, in its place is %+v", starts+1, n)
			}
		}
		if got := bank.Hidden(0, at[0]); got != want {
			t.Errorf("told is %q; want %q", got, want)
		}
	}
	one, other := &shadowed{Next: &shadowed{}}, &shadowed{}
	one.Next.Next, other.Next = one, &shadowed{Next: &shadowed{}}
	ring, longer := &shadowed{}, &shadowed{Next: &shadowed{Hidden: 3}}
	ring.Next, longer.Next.Next = ring, longer
	for want, pair := range map[string][2]sim.Node{
		"n0.Next.Hidden is 0 in one and 3 in the other": {ring, longer},
		"":                              {one, one},
		"n0.Next is nil in one of them": {&shadowed{Next: one}, &shadowed{}},
		"n0.Next.Next.Next is nil in one of them": {one, other},
		"n0.Table[b] is 2 in one and 9 in the other": {
			&shadowed{Table: map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}}, &shadowed{Table: map[string]int{"a": 1, "b": 9, "c": 9, "d": 9}},
		},
		"n0.Table[a] is in one of them only": {
			&shadowed{Table: map[string]int{"a": 1, "b": 2, "c": 3}}, &shadowed{Table: map[string]int{"x": 1, "b": 2, "c": 9}},
		},
	} {
		a, b := world1(t, pair[0]), world1(t, pair[1])
		if got := HiddenBetween(a, b); got != want {
			t.Errorf("told is %q; want %q", got, want)
		}
	}
}

// world1 makes a world with one node, n.
func world1(t *testing.T, n sim.Node) *World {
	t.Helper()
	w, err := New(&sim.System{Name: "one", Doc: "One node.", New: func(sim.Params, sim.Addr) sim.Node { return n }}, sim.Params{Nodes: 1}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	w.nodes.put(0, n)
	return w
}

// TestClonedByTheSystem checks that a world uses System.Clone to copy a node that a bank holds too, and that a
// copy with another state is reported.
func TestClonedByTheSystem(t *testing.T) {
	for forgets, want := range map[bool]string{
		false: "",
		true:  "system heedful: Clone made another state of n0: Sum is 1, and in the copy Sum is 0",
	} {
		w, err := New(&sim.System{
			Name: "heedful", Doc: "Nodes that are copied by hand.",
			New: func(sim.Params, sim.Addr) sim.Node { return heedfuls.Node(&heedful{Sum: 1}) },
			Clone: func(_ sim.Params, _ sim.Addr, n sim.Node) sim.Node {
				c := *heedfuls.Of(n)
				if forgets {
					c.Sum = 0
				}
				return heedfuls.Node(&c)
			},
			Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{start{}} },
		}, sim.Params{Nodes: 2}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		bank := w.State.NewBank()
		at := make(Vector, bank.Places())
		f := w.Protect(func() {
			w.Start(choose.NewFixed())
			w.State.Save(bank, at) // the nodes are the bank's now
			w.Step(choose.NewFixed(0))
		})
		got := ""
		if err := w.Run.Err(); err != nil {
			got = err.Error()
		}
		if f != nil || got != want {
			t.Errorf("forgets %v: %q, %+v; want %q", forgets, got, f, want)
		}
	}
}
