package world_test

import (
	"fmt"
	"slices"
	"testing"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
	"macemc/trace"
)

// TestNames checks the names of all kinds, and that a value without a name is written as its number.
func TestNames(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{fmt.Sprint(sim.KindScript, sim.KindAction, sim.KindTask, sim.KindMessage, sim.KindTimer), "script action task message timer"},
		{fmt.Sprint(sim.Kind(0), sim.Kind(99)), "kind 0 kind 99"},
		{fmt.Sprint(sim.LinkTCP, sim.LinkUDP, sim.LinkSet), "tcp udp set"},
		{fmt.Sprint(sim.Link(0), sim.Link(99)), "link 0 link 99"},
		{fmt.Sprint(trace.EffectSend, trace.EffectAfter, trace.EffectCancel, trace.EffectPost, trace.EffectEmit, trace.EffectLog), "send after cancel post emit log"},
		{fmt.Sprint(trace.EffectKind(0), trace.EffectKind(99)), "effect 0 effect 99"},
		{fmt.Sprint(sim.CauseReset, sim.CauseRefused, sim.Cause(0)), "reset refused unknown cause"},
		{fmt.Sprint(trace.Verdict(99)), "verdict 99"},
		{fmt.Sprint(sim.Addr{}), "nobody"},
		{fmt.Sprintln(sim.Always("a", always).Kind(), sim.Eventually("a", always).Kind(),
			sim.Steps("a", func(_, _ sim.View[*quiet]) bool { return true }).Kind(),
			sim.Monitor("a", func(*int, sim.Addr, any) error { return nil }).Kind()), "always eventually steps monitor\n"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for v := trace.VerdictNone; v <= trace.VerdictKilled; v++ {
		if back, ok := trace.ParseVerdict(v.String()); !ok || back != v {
			t.Errorf("%s is parsed as %s", v, back)
		}
	}
	if _, ok := trace.ParseVerdict("guilty"); ok {
		t.Error(`"guilty" is taken for a verdict`)
	}
	if sim.Always("a", always).Liveness() || !sim.Eventually("a", always).Liveness() {
		t.Error("only Eventually is liveness")
	}
}

// TestAddr checks that addresses are ordered by the index of their nodes, and are written as n0, n1, ....
func TestAddr(t *testing.T) {
	all := sim.Params{Nodes: 12}.Addrs()
	for i, a := range all {
		for j, b := range all {
			if a.Less(b) != (i < j) || a.Compare(b) < 0 != (i < j) || a.Compare(b) == 0 != (i == j) {
				t.Errorf("%s and %s are in the wrong order", a, b)
			}
		}
		if a.IsZero() || a.String() != fmt.Sprintf("n%d", i) {
			t.Errorf("node %d is %s", i, a)
		}
	}
	if !(sim.Addr{}).IsZero() || !(sim.Addr{}).Less(all[0]) {
		t.Error("nobody is somebody")
	}
}

func TestKeys(t *testing.T) {
	byName, byAddr := map[string]int{}, map[sim.Addr]int{}
	var names []string
	all := sim.Params{Nodes: 20}.Addrs()
	for i, a := range all {
		name := fmt.Sprintf("%c", 'a'+i)
		names = append(names, name)
		byName[name], byAddr[a] = i, i
	}
	if got := sim.Keys(byName); !slices.Equal(got, names) {
		t.Errorf("keys are %v", got)
	}
	if got := sim.Addrs(byAddr); !slices.Equal(got, all) {
		t.Errorf("addresses are %v", got)
	}
}

// TestView checks that a view yields the nodes of its type, or the layers of that type.
func TestView(t *testing.T) {
	sys := parsePlay("n0: after 1s a; after 1s b; send n1 tcp x; send n2 udp y; send n2 set z\nn1: after 1s a")
	inner := sys.New
	sys.New = func(p sim.Params, self sim.Addr) sim.Node {
		switch self {
		case p.Addr(0):
			return inner(p, self)
		case p.Addr(1):
			return &stack{upper: inner(p, self).(*puppet)}
		default:
			return &quiet{}
		}
	}
	var told string
	sys.Properties = []sim.Property{
		sim.Always("puppets", func(v sim.View[*puppet]) bool { told = tell(v); return true }),
		sim.Always("stacks", func(v sim.View[*stack]) bool { told += "; " + tell(v); return true }),
	}
	w, err := world.New(sys, sim.Params{Nodes: 3}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w.Protect(func() {
		for range 2 { // a view is good for the next run, too
			w.Start(choose.NewFixed())
			w.Step(choose.NewFixed())
			w.Step(choose.NewFixed())
		}
	})
	if f := w.Judge.Check(); f != nil {
		t.Fatal(f)
	}
	if want := "2 [n0 n1], 3 timers, 2 in flight, a at [n0 n1], b at [n0]; 1 [n1], 3 timers, 2 in flight, a at [n0 n1], b at [n0]"; told != want {
		t.Errorf("the views tell\n\t%s\nwant\n\t%s", told, want)
	}
	if w.System() != sys || w.Params().Nodes != 3 {
		t.Errorf("the world is of %v with %d nodes", w.System(), w.Params().Nodes)
	}
}

// tell returns the nodes that a view shows, as text, and checks that the methods of View agree.
func tell[N comparable](v sim.View[N]) string {
	var at, a, b []sim.Addr
	for addr, n := range v.Nodes() {
		if found, ok := v.At(addr); !ok || found != n {
			return fmt.Sprintf("there is %v, %v at %s, and not %v", found, ok, addr, n)
		}
		at = append(at, addr)
	}
	for range v.Nodes() {
		break // a caller may leave early
	}
	for _, addr := range (sim.Params{Nodes: 3}).Addrs() {
		if _, ok := v.At(addr); ok != slices.Contains(at, addr) {
			return fmt.Sprintf("whether there is a node at %s is uncertain", addr)
		}
		if v.Scheduled(addr, alarm{"a"}) {
			a = append(a, addr)
		}
		if v.Scheduled(addr, alarm{"b"}) {
			b = append(b, addr)
		}
	}
	if _, ok := v.At(sim.Addr{}); ok || v.Scheduled(sim.Addr{}, alarm{"a"}) {
		return "nobody is a node"
	}
	return fmt.Sprintf("%d %v, %d timers, %d in flight, a at %v, b at %v", v.Len(), at, v.Timers(), v.InFlight(), a, b)
}

// TestBug checks that Env and Params report the same bugs as switched on.
func TestBug(t *testing.T) {
	sys := sound()
	var in []bool
	ask := func(env sim.Env) { in = []bool{env.Bug("S1"), env.Bug("S2"), env.Tracing()} }
	sys.New = func(p sim.Params, _ sim.Addr) sim.Node {
		if !p.Bug("S2") || p.Bug("S1") {
			t.Errorf("bugs are %v", p.Bugs())
		}
		return &user{use: ask}
	}
	p, err := sys.Configure(1, nil, []string{"S2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tracing := range []bool{false, true} {
		w, err := world.New(sys, p, world.Config{Trace: tracing})
		if err != nil {
			t.Fatal(err)
		}
		if f := w.Protect(func() {
			w.Start(choose.NewFixed())
			w.Step(choose.NewFixed())
		}); f != nil {
			t.Fatal(f)
		}
		if !slices.Equal(in, []bool{false, true, tracing}) {
			t.Errorf("bugs and tracing are %v", in)
		}
	}
}

// TestTimersAreNotTasks checks that the same value as a timer, as a task and as both makes three different
// states.
func TestTimersAreNotTasks(t *testing.T) {
	timer, f := used(t, world.Config{}, nil, func(env sim.Env) { env.After(0, job{"a"}) })
	task, g := used(t, world.Config{}, nil, func(env sim.Env) { env.Post(job{"a"}) })
	both, h := used(t, world.Config{}, nil, func(env sim.Env) { env.After(0, job{"a"}); env.Post(job{"a"}) })
	if f != nil || g != nil || h != nil {
		t.Fatal(f, g, h)
	}
	if timer.State.Hash() == task.State.Hash() || task.State.Hash() == both.State.Hash() || timer.State.Hash() == both.State.Hash() {
		t.Error("a timer is taken for a task")
	}
}

// TestUnused checks that an opaque rule that matches nothing is reported once states were walked, and that a
// rule that matches hides the field from the state.
func TestUnused(t *testing.T) {
	sys := parsePlay("n0: set v=1")
	sys.Opaque = []string{"*.Vars", "*.Wars", "world_test.puppet.Vars"}
	w, err := world.New(sys, sim.Params{Nodes: 1}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w.Protect(func() {
		w.Start(choose.NewFixed())
		before := w.State.Hash()
		w.Step(choose.NewFixed())
		if w.State.Hash() == before {
			t.Error("the opening that was taken is no part of the state")
		}
	})
	if got := w.Unused(); !slices.Equal(got, []string{"*.Wars"}) {
		t.Errorf("unused rules are %v", got)
	}
	if got := w.Text.Lines(); len(got) != 1 || got[0].Path != "n0" || got[0].Value != "&puppet{}" {
		t.Errorf("the state is %v", got)
	}
}

// TestEffects checks that Run.Effects returns the effects of a step even if no trace is kept.
func TestEffects(t *testing.T) {
	w, err := world.New(parsePlay("n0: after 1s a; cancel a; log a"), sim.Params{Nodes: 1}, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(choose.NewFixed())
	})
	var told []string
	for _, e := range w.Run.Effects() {
		told = append(told, e.Text(w.Walker().Text))
	}
	if want := []string{`after 1s alarm{Name: "a"}`, `cancel alarm{Name: "a"}`}; !slices.Equal(told, want) {
		t.Errorf("effects are %q, want %q", told, want)
	}
	if f := w.Run.Failure(trace.VerdictKilled, "why"); f.Step != 1 || f.Node.String() != "n0" || f.Message != "why" {
		t.Errorf("the failure is %+v", f)
	}
}
