package world

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/sim"
)

// leaf asks for the bugs of leaves: one by Env, one by Params, one not at all.
type leaf struct{}

func (*leaf) Init(env sim.Env)                       { env.Bug("L1") }
func (*leaf) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*leaf) Handle(sim.Env, sim.Signal)             {}

// TestCoverageOfBugs: a bug that code without an Env asked for may have been
// reached, so nothing is said of it.
func TestCoverageOfBugs(t *testing.T) {
	sys := &sim.System{
		Name: "leaves", Doc: "Leaves.", Bugs: []sim.Bug{{ID: "L1"}, {ID: "L2"}, {ID: "L3"}},
		New: func(p sim.Params, _ sim.Addr) sim.Node { p.Bug("L2"); return &leaf{} },
	}
	c := new(Coverage)
	w := coverageWorld(t, sys, []string{"L1", "L2", "L3"}, c)
	w.Protect(func() { w.Start(choose.NewFixed()) })
	if got := c.neverBugs(); len(got) != 1 || got[0] != "bug L3 is switched on, and its line was never reached" {
		t.Errorf("never: %q", got)
	}
}

func coverageWorld(t *testing.T, sys *sim.System, bugs []string, c *Coverage) *World {
	t.Helper()
	p, err := sys.Configure(0, nil, bugs)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(sys, p, Config{Coverage: c})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestCoverageOfManyTypes: types that share a place are not taken for one.
func TestCoverageOfManyTypes(t *testing.T) {
	c := new(Coverage)
	c.prepare(sim.Params{})
	const types = 1000
	value := func(i int) any { return reflect.Zero(reflect.ArrayOf(i+1, reflect.TypeFor[int8]())).Interface() }
	for range 2 {
		for i := range types {
			c.of(value(i)).of[sim.KindMessage].possible += i
		}
	}
	for i := range types {
		if n := c.of(value(i)).of[sim.KindMessage].possible; n != 2*i {
			t.Fatalf("type %d was counted %d times, want %d", i, n, 2*i)
		}
	}
	if len(c.types) != types {
		t.Errorf("%d types were told apart, want %d", len(c.types), types)
	}
}

// TestCoverageOfCoins: coins are counted for a limited number of purposes, and a line says when
// there were more; the answers that a coin never gave are abbreviated to one line.
func TestCoverageOfCoins(t *testing.T) {
	c := new(Coverage)
	c.prepare(sim.Params{})
	c.chosen("wide", 100, 7)
	c.chosen("wider", sidesMost, 7)
	c.chosen("without end", 1<<30, 1<<29)
	for i := range 2 * coinsMost {
		why := fmt.Sprint("coin ", i)
		c.chosen(why, 2, 0)
		c.chosen(why, 2, 1)
	}
	want := []string{
		`coin "wide": answers 0, 1, 2, 3, and 95 more of 0 to 99 were never given`,
		`coin "wider": answers 0, 1, 2, 3, and 4091 more of 0 to 4095 were never given`,
		`coin "without end" has 1073741824 answers: which of them were never given was not counted`,
		"coins of more than 1000 different purposes were asked; the others were not counted",
	}
	if got := c.neverCoins(); !slices.Equal(got, want) {
		t.Errorf("never: %q", got)
	}
}

// TestCoverageNames: types that share a name are shown with their packages.
func TestCoverageNames(t *testing.T) {
	got := typeNames([]*typeTally{
		{typ: reflect.TypeFor[sim.Flushed]()}, {typ: reflect.TypeFor[*sim.PeerError]()}, {typ: reflect.TypeFor[strings.Reader]()},
		{typ: reflect.TypeFor[sim.Kind]()}, {typ: reflect.TypeFor[reflect.Kind]()},
	})
	if want := []string{"Flushed{}", "*PeerError", "Reader{...}", "macemc/sim.Kind", "reflect.Kind"}; !slices.Equal(got, want) {
		t.Errorf("names: %q", got)
	}
}

// If several runs have budgets for a fault, the largest one counts, and unlimited is the largest.
func TestLargestBudgets(t *testing.T) {
	c := &Coverage{}
	for _, f := range []sim.Faults{{Crash: 2, Loss: sim.Unlimited}, {Crash: 1, Loss: 5, Reset: 1}, {Reset: sim.Unlimited}} {
		c.allow(f)
	}
	if want := (sim.Faults{Crash: 2, Loss: sim.Unlimited, Reset: sim.Unlimited}); c.allowed != want {
		t.Errorf("allowed are %v, not %v", c.allowed, want)
	}
}

// heedful heeds number by a field that it changes, odd by a fact that it emits, and ignores other
// messages.
type heedful struct{ Sum int }

func (h *heedful) start(env sim.Env, _ start) {
	for range idleLeast {
		for _, m := range []sim.Message{number{1}, odd{}, unsent{}} {
			env.Bag().Send(env.Peers()[0], m)
		}
	}
}
func (h *heedful) number(_ sim.Env, _ sim.Addr, m number) { h.Sum += m.n }
func (h *heedful) odd(env sim.Env, _ sim.Addr, _ odd)     { env.Emit("odd") }
func (h *heedful) unsent(sim.Env, sim.Addr, unsent)       {}

var heedfuls = sim.Handle(sim.OnSignal((*heedful).start), sim.OnMessage((*heedful).number), sim.OnMessage((*heedful).odd), sim.OnMessage((*heedful).unsent))

// A message is heeded if it changes the node or has an effect. The least distance to a Sometimes
// property is reported only if the property has a function that measures it.
func TestCoverageOfWhatWasHeeded(t *testing.T) {
	c := new(Coverage)
	w, err := New(&sim.System{
		Name: "heedful", Doc: "Nodes that heed.",
		New: func(sim.Params, sim.Addr) sim.Node { return heedfuls.Node(&heedful{}) },
		Script: func(_ sim.Params, self sim.Addr, _ int) []sim.Signal {
			return []sim.Signal{start{}}[:1-min(self.Index(), 1)]
		},
		Properties: []sim.Property{
			sim.Sometimes("far", func(sim.View[*heedful]) bool { return false }, func(sim.View[*heedful]) int { return 3 }),
			sim.Sometimes("somewhere", func(sim.View[*heedful]) bool { return false }),
		},
	}, sim.Params{Nodes: 2}, Config{Audit: true, Coverage: c})
	if err != nil {
		t.Fatal(err)
	}
	if f := w.Protect(func() {
		w.Start(choose.NewFixed())
		for range 1 + 3*idleLeast {
			w.Step(choose.NewFixed(0))
		}
		w.Judge.CoverRun()
	}); f != nil {
		t.Fatal(f)
	}
	want := []string{
		"message unsent{} did nothing when it was delivered, and changed nothing (looked at 10 times)",
		`property "far" was to hold sometimes, and no such state was met; the nearest was 3 away`,
		`property "somewhere" was to hold sometimes, and no such state was met`,
	}
	if got := append(c.neverNoticed(), c.neverProperties()...); !slices.Equal(got, want) {
		t.Errorf("never: %q", got)
	}
}

// A type is signalled that was possible as anything but a message.
func TestSignalled(t *testing.T) {
	for _, c := range []struct {
		kinds []sim.Kind
		want  bool
	}{
		{nil, false}, {[]sim.Kind{sim.KindMessage}, false}, {[]sim.Kind{sim.KindScript}, true}, {[]sim.Kind{sim.KindAction}, true},
		{[]sim.Kind{sim.KindTask}, true}, {[]sim.Kind{sim.KindTimer}, true}, {[]sim.Kind{sim.KindTask, sim.KindTimer}, true},
	} {
		var of typeTally
		for _, k := range c.kinds {
			of.of[k].possible = 1
		}
		if got := of.signalled(); got != c.want {
			t.Errorf("possible as %v: signalled %v", c.kinds, got)
		}
	}
}

// A liveness property says nothing that holds while no node is there; one that does not hold
// there does, and so does one that sees no node while all are there.
func TestCoverageOfNobody(t *testing.T) {
	all := func(v sim.View[*puppet]) bool {
		for range v.Nodes() {
			return false
		}
		return true
	}
	some := func(v sim.View[*puppet]) bool { return !all(v) }
	whoever := func(sim.View[*puppet]) bool { return true }
	for _, of := range []struct {
		holds func(sim.View[*puppet]) bool
		down  int
		empty bool
	}{{all, 0, false}, {all, 2, false}, {all, 3, true}, {some, 0, false}, {some, 3, false}, {whoever, 0, false}, {whoever, 3, true}} {
		c, sys := new(Coverage), gale()
		sys.Properties = []sim.Property{sim.Eventually("it", of.holds)}
		w, err := New(sys, sim.Params{Nodes: 3}, Config{Coverage: c, Conditions: sim.Conditions{Faults: &sim.Faults{Down: 3}}})
		if err != nil {
			t.Fatal(err)
		}
		if f := w.Protect(func() {
			w.Start(choose.NewFixed())
			for n := range of.down {
				w.Step(choose.NewFollow(nil, []choose.Step{{Event: choose.Choice{Kind: choose.Event, What: fmt.Sprintf("n%d down", n)}}}))
			}
			w.Judge.Live()
		}); f != nil || w.Run.Steps() != of.down {
			t.Fatal(f, w.Run.Steps())
		}
		never := strings.Join(c.neverProperties(), "\n")
		if strings.Contains(never, "held while all nodes that it is about were down") != of.empty {
			t.Errorf("%d of 3 are down: %s", of.down, never)
		}
	}
}
