package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/netsim"
	"macemc/sim"
	"macemc/trace"
)

// TestSlowLinkWaits checks that a message on a slow link waits until tasks and messages on other links are
// handled, and does not wait for timers.
func TestSlowLinkWaits(t *testing.T) {
	for _, c := range []struct {
		use  func(sim.Env)
		want string
	}{
		{func(env sim.Env) { env.TCP().Send(env.Peers()[0], "m") }, `n1 message "m" from n0 by tcp, n1 timer now{}`},
		{func(env sim.Env) { env.TCP().Send(env.Peers()[0], "m"); env.Post("task") }, `n0 task "task", n1 timer now{}`},
	} {
		w, f := used(t, world.Config{Conditions: sim.Conditions{Network: sim.Network{Slow: "n0-n1"}}}, nil, c.use)
		if f != nil {
			t.Fatal(f)
		}
		var got []string
		for k := range w.Events.Count() {
			got = append(got, w.Events.At(k).Text(w.Walker().Text, 2))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("possible is %s; want %s", text, c.want)
		}
	}
}

// TestPanicsNameTheirFunction checks that a panic in a function of the system is reported with the name of
// the function, and with the name of a property only if the function belongs to one.
func TestPanicsNameTheirFunction(t *testing.T) {
	oops := func(sim.View[*quiet]) bool { panic("oops") }
	for want, c := range map[string]struct {
		change func(*sim.System)
		ask    func(*world.World)
	}{
		`property "well" panics: oops [well]`: {
			func(s *sim.System) { s.Properties = []sim.Property{sim.Always("well", oops)} }, func(w *world.World) { w.Judge.Check() }},
		`property "soon" panics: oops [soon]`: {
			func(s *sim.System) { s.Properties = []sim.Property{sim.Eventually("soon", oops)} }, func(w *world.World) { w.Judge.Live() }},
		`System.Within "small" panics: oops []`: {
			func(s *sim.System) { s.Within = sim.While("small", oops) }, func(w *world.World) { w.Judge.Within() }},
		`System.Assume "calm" panics: oops []`: {
			func(s *sim.System) { s.Assume = sim.While("calm", oops) }, func(w *world.World) { w.Judge.Assumed() }},
	} {
		sys := sound()
		c.change(sys)
		w, err := world.New(sys, sim.Params{}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		f := w.Protect(func() { w.Start(choose.NewFixed()); c.ask(w) })
		if f == nil || f.Verdict != trace.VerdictPanic || fmt.Sprint(f.Message, " [", f.Property, "]") != want {
			t.Errorf("found is %+v; want %s", f, want)
		}
	}
}

// TestStepPropertiesAreAudited checks that a step property is reported if it gives two answers about one
// step, or if it changes a node.
func TestStepPropertiesAreAudited(t *testing.T) {
	asked := 0
	for want, steps := range map[string]func(_, after sim.View[*puppet]) bool{
		`property "steady" was true and then false in one state; it must be a function of the state`: func(_, _ sim.View[*puppet]) bool {
			asked++
			return asked%2 == 1
		},
		`property "steady" changed the state of n0: Vars was {}, is (absent); Vars["x"] was (absent), is 1; it must only look`: func(_, after sim.View[*puppet]) bool {
			for _, p := range after.Nodes() {
				p.Vars["x"] = 1
			}
			return true
		},
	} {
		sys := parsePlay("n0: log one")
		sys.Properties = []sim.Property{sim.Steps("steady", steps)}
		before, err := world.New(sys, sim.Params{Nodes: 1}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		after, err := world.New(sys, sim.Params{Nodes: 1}, world.Config{Audit: true})
		if err != nil {
			t.Fatal(err)
		}
		all := world.StepChecks(before, after, nil)
		before.Protect(func() { before.Start(choose.NewFixed()) })
		f := after.Protect(func() {
			after.Start(choose.NewFixed())
			after.Step(choose.NewFixed())
			all.Check()
		})
		if f == nil || !strings.HasPrefix(f.Message, want) || f.Property != "steady" {
			t.Errorf("found is %+v; want %s", f, want)
		}
	}
}

// TestGoroutineInASprint checks that a sprint, which counts goroutines only at the end of a run, finds a
// handler's goroutine. If a goroutine of an earlier test ends meanwhile, the counts are equal, so the test
// tries 20 times.
func TestGoroutineInASprint(t *testing.T) {
	never := make(chan struct{})
	for range 20 {
		_, f := used(t, world.Config{Sprint: true}, nil, func(sim.Env) { go func() { <-never }() })
		if f != nil && f.Verdict == trace.VerdictGoroutine {
			return
		}
	}
	t.Error("nothing was found")
}

// TestFlawed checks that Links.Flawed returns true if at least one known bug of the links is switched on.
func TestFlawed(t *testing.T) {
	for _, flaws := range [][]string{nil, {netsim.FlawWrongIndex}, {netsim.FlawWrongIndex, netsim.FlawRemoteStays}} {
		sys := sound()
		sys.Network = func(sim.Params) sim.Network { return sim.Network{Flaws: flaws} }
		w, err := world.New(sys, sim.Params{}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if w.Links.Flawed() != (len(flaws) > 0) {
			t.Errorf("with the flaws %q the links are said to be flawed: %v", flaws, w.Links.Flawed())
		}
	}
}

// TestFailsInInit checks that, if a node fails in Init, the trace has the starts up to that one, which is
// marked as cut.
func TestFailsInInit(t *testing.T) {
	sys := sound()
	sys.New = func(_ sim.Params, self sim.Addr) sim.Node {
		return &user{init: func(env sim.Env) {
			env.Logf("starts")
			if self.Index() == 1 {
				panic("oops")
			}
		}}
	}
	w, err := world.New(sys, sim.Params{Nodes: 3}, world.Config{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	f := w.Protect(func() { w.Start(choose.NewFixed()) })
	starts := w.Run.Trace().Starts
	if f == nil || f.Identity != "n1 start" || len(starts) != 2 || starts[0].Cut || !starts[1].Cut || len(starts[1].Effects) != 1 {
		t.Errorf("told as %+v, with the starts %+v", f, starts)
	}
}

// TestDueIsPartOfTheState checks that the order in which two timers are due is part of the state, even if the
// clock has the same instants.
func TestDueIsPartOfTheState(t *testing.T) {
	var sums []any
	var fires [][]string
	for _, first := range []time.Duration{1, 2} {
		sys := sound()
		sys.Clock = func(sim.Params) *sim.Clock { return &sim.Clock{} }
		sys.New = func(sim.Params, sim.Addr) sim.Node {
			return &user{init: func(env sim.Env) {
				env.After(first*time.Second, beep(1))
				env.After((3-first)*time.Second, beep(2))
			}}
		}
		w, err := world.New(sys, sim.Params{Nodes: 1}, world.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if f := w.Protect(func() { w.Start(choose.NewFixed()) }); f != nil {
			t.Fatal(f)
		}
		var timers []string
		for k := range w.Events.Count() {
			timers = append(timers, w.Events.At(k).Text(w.Walker().Text, 1))
		}
		sums, fires = append(sums, w.State.Hash()), append(fires, timers)
	}
	if slices.Equal(fires[0], fires[1]) || sums[0] == sums[1] {
		t.Errorf("first fires %v, or %v, and the states are %v", fires[0], fires[1], sums)
	}
}
