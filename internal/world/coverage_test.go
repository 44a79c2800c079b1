package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/observe"
	"macemc/sim"
)

// leaf is a node of a system with three bugs: it asks Env for one, New asks Params for another, and nothing
// asks for the third.
type leaf struct{}

func (*leaf) Init(env sim.Env)                       { env.Bug("L1") }
func (*leaf) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*leaf) Handle(sim.Env, sim.Signal)             {}

// TestCoverageOfBugs checks that coverage reports a bug as never reached only if nothing asked for it,
// neither by Env nor by Params.
func TestCoverageOfBugs(t *testing.T) {
	sys := &sim.System{
		Name: "leaves", Doc: "Leaves.", Bugs: []sim.Bug{{ID: "L1"}, {ID: "L2"}, {ID: "L3"}},
		New: func(p sim.Params, _ sim.Addr) sim.Node { p.Bug("L2"); return &leaf{} },
	}
	c := new(observe.Coverage)
	w := coverageWorld(t, sys, []string{"L1", "L2", "L3"}, c)
	w.Protect(func() { w.Start(choose.NewFixed()) })
	if got := never(c, "bug "); len(got) != 1 || got[0] != "bug L3 is switched on, and its line was never reached" {
		t.Errorf("never: %q", got)
	}
}

// never returns the lines of c that contain one of some words.
func never(c *observe.Coverage, words ...string) []string {
	return slices.DeleteFunc(c.Never(), func(line string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) })
	})
}

func coverageWorld(t *testing.T, sys *sim.System, bugs []string, c *observe.Coverage) *World {
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

// looks is the number of deliveries that coverage must examine before it says that they did nothing.
const looks = 10

// heedful changes a field when it gets a number, emits a fact when it gets an odd, and ignores other messages.
type heedful struct{ Sum int }

func (h *heedful) start(env sim.Env, _ start) {
	for range looks {
		for _, m := range []sim.Message{number{1}, odd{}, unsent{}} {
			env.Bag().Send(env.Peers()[0], m)
		}
	}
}
func (h *heedful) number(_ sim.Env, _ sim.Addr, m number) { h.Sum += m.n }
func (h *heedful) odd(env sim.Env, _ sim.Addr, _ odd)     { env.Emit("odd") }
func (h *heedful) unsent(sim.Env, sim.Addr, unsent)       {}

var heedfuls = sim.Handle(sim.OnSignal((*heedful).start), sim.OnMessage((*heedful).number), sim.OnMessage((*heedful).odd), sim.OnMessage((*heedful).unsent))

// TestCoverageOfWhatWasHeeded checks that a message counts as heeded if it changes the node or has an effect,
// and that the least distance to a Sometimes property is reported only if the property has a function that
// measures it.
func TestCoverageOfWhatWasHeeded(t *testing.T) {
	c := new(observe.Coverage)
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
		for range 1 + 3*looks {
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
	if got := never(c, "did nothing", "to hold sometimes"); !slices.Equal(got, want) {
		t.Errorf("never: %q", got)
	}
}

// TestCoverageOfNobody checks that the report warns of a liveness property only if it held because all nodes
// were down. It does not warn of one that fails without nodes, or that sees no node while all are up.
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
		c, sys := new(observe.Coverage), gale()
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
		never := strings.Join(c.Never(), "\n")
		if strings.Contains(never, "held while all nodes that it is about were down") != of.empty {
			t.Errorf("%d of 3 are down: %s", of.down, never)
		}
	}
}
