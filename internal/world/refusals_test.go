package world_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/world"
	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// quiet is a node that does nothing.
type quiet struct{}

func (*quiet) Init(sim.Env)                           {}
func (*quiet) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*quiet) Handle(sim.Env, sim.Signal)             {}

// other is a node of a type of its own, with a field of type T.
type other[T any] struct {
	quiet
	Field T
}

// made returns a function that makes the nodes of a system of type other[T].
func made[T any]() func(*sim.System) {
	return func(s *sim.System) {
		s.New = func(sim.Params, sim.Addr) sim.Node { return &other[T]{} }
	}
}

// sound returns a valid system, which tests change in one place.
func sound() *sim.System {
	return &sim.System{
		Name: "sound", Doc: "It does nothing, and promises nothing.",
		Params: []*sim.Param{
			{Name: "size", Doc: "How many.", Range: sim.Range{Default: 2, Least: 1, Most: 12}},
			{Name: "transport", Doc: "By what.", Words: []string{"tcp", "udp"}},
		},
		Bugs: []sim.Bug{{ID: "S1", Story: "It stops."}, {ID: "S2", Story: "It goes on."}},
		New:  func(sim.Params, sim.Addr) sim.Node { return &quiet{} },
	}
}

func nodes(byDefault, least, most int) func(sim.Params) sim.Range {
	return func(sim.Params) sim.Range { return sim.Range{Default: byDefault, Least: least, Most: most} }
}

func always(sim.View[*quiet]) bool { return true }

func TestValidate(t *testing.T) {
	if err := sound().Validate(sim.Params{}); err != nil {
		t.Fatalf("a sound system is refused: %v", err)
	}
	own := []*sim.Param{{Name: "size", Doc: "How many.", Range: sim.Range{Default: 1, Least: 1, Most: 2}}}
	for _, c := range []struct {
		name  string
		spoil func(*sim.System)
		want  string
	}{
		{"no-name", func(s *sim.System) { s.Name = "" },
			`a system has the name ""; a name is a lower-case word such as randtree`},
		{"capital", func(s *sim.System) { s.Name = "Sound" },
			`a system has the name "Sound"; a name is a lower-case word such as randtree`},
		{"undocumented", func(s *sim.System) { s.Doc = " \n" },
			`system sound: it is undocumented; say in Doc what it is and what it promises`},
		{"no-new", func(s *sim.System) { s.New = nil },
			`system sound: it has no New; say how a node is made`},
		{"tolerates", func(s *sim.System) { s.Tolerates.Crash = -2 },
			`system sound: it tolerates crash=-2; a budget is 0 or more, or Unlimited`},

		{"param-name", func(s *sim.System) { s.Params[0].Name = "Size" },
			`system sound: a parameter has the name "Size"; a name is a lower-case word`},
		{"param-twice", func(s *sim.System) { s.Params = append(s.Params, own...) },
			`system sound: two parameters have the name size`},
		{"param-doc", func(s *sim.System) { s.Params[0].Doc = "" },
			`system sound: parameter size is undocumented`},
		{"param-both", func(s *sim.System) { s.Params[0].Words = []string{"a"} },
			`system sound: parameter size has both a Range and Words; it is a number or a word`},
		{"param-default", func(s *sim.System) { s.Params[0].Range.Default = 13 },
			`system sound: parameter size is 13 by default, which is not from 1 to 12`},

		{"bug-id", func(s *sim.System) { s.Bugs[0].ID = "" }, `system sound: a known bug has no ID (its story is `},
		{"bug-twice", func(s *sim.System) { s.Bugs[1].ID = "S1" }, `system sound: two known bugs have the id S1`},
		{"bug-story", func(s *sim.System) { s.Bugs[1].Story = "" },
			`system sound: known bug S2 has no story; say what goes wrong`},

		{"property-zero", func(s *sim.System) { s.Properties = []sim.Property{{Name: "mine"}} },
			`system sound: property "mine" was not made by Always, Eventually, Cools, Steps, Monitor or Sometimes`},
		{"property-name", func(s *sim.System) { s.Properties = []sim.Property{sim.Always(" ", always)} },
			`system sound: a property has no name; its name is the sentence that a report quotes`},
		{"property-twice", func(s *sim.System) {
			s.Properties = []sim.Property{sim.Always("well", always), sim.Eventually("well", always)}
		}, `system sound: two properties have the name "well"`},
		{"property-about", func(s *sim.System) {
			s.Properties = []sim.Property{sim.Always("well", func(sim.View[*puppet]) bool { return true })}
		}, `system sound: property "well" is about *world_test.puppet, and no node has one; New makes *world_test.quiet`},
		{"property-value", func(s *sim.System) {
			s.Properties = []sim.Property{sim.Always("well", func(sim.View[quiet]) bool { return true })}
		}, `system sound: property "well" is about world_test.quiet, and no node has one; New makes *world_test.quiet; write sim.View[*world_test.quiet]`},
		{"steps-about", func(s *sim.System) {
			s.Properties = []sim.Property{sim.Steps("well", func(_, _ sim.View[*puppet]) bool { return true })}
		}, `system sound: property "well" is about *world_test.puppet, and no node has one; New makes *world_test.quiet`},
		{"within-about", func(s *sim.System) {
			s.Within = sim.While("small", func(sim.View[*puppet]) bool { return true })
		}, `system sound: constraint "small" is about *world_test.puppet, and no node has one; New makes *world_test.quiet`},
		{"assume-about", func(s *sim.System) {
			s.Assume = sim.While("up", func(sim.View[*puppet]) bool { return true })
		}, `system sound: constraint "up" is about *world_test.puppet, and no node has one; New makes *world_test.quiet`},

		{"nodes-order", func(s *sim.System) { s.Nodes = nodes(1, 2, 3) },
			`sound runs with 2 to 3 nodes and 1 by default; that must be in order and within 1 to 160`},
		{"nodes-most", func(s *sim.System) { s.Nodes = nodes(3, 1, 161) },
			`sound runs with 1 to 161 nodes and 3 by default; that must be in order and within 1 to 160`},
		{"nodes-least", func(s *sim.System) { s.Nodes = nodes(3, 0, 8) },
			`sound runs with 0 to 8 nodes and 3 by default; that must be in order and within 1 to 160`},

		{"nil-node", func(s *sim.System) { s.New = func(sim.Params, sim.Addr) sim.Node { return nil } },
			`system sound: its New made a nil node at n0`},
		{"nil-pointer", func(s *sim.System) { s.New = func(sim.Params, sim.Addr) sim.Node { return (*quiet)(nil) } },
			`system sound: its New made a nil node at n0`},
		{"func", made[func()](),
			`system sound: cannot walk world_test.other[func()].Field (func()): functions have no comparable identity; tag the field mc:"-" or add "world_test.other.Field" to System.Opaque`},
		{"time-key", made[map[macetime.Time]int](),
			`system sound: *world_test.other[map[macemc/macetime.Time]int] cannot keep times where it does: a map[macetime.Time]int has keys that hold one; key the map by something else`},
		{"time-left-out", made[leftOut](),
			`cannot keep times where it does: a world_test.leftOut has one in Read, which is left out of the state`},
		{"opaque-malformed", func(s *sim.System) { s.Opaque = []string{"Field"} },
			`system sound: opaque rule "Field" is malformed; want pkg.Type.field, *.field or pkg.Type`},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := sound()
			c.spoil(sys)
			says(t, sys.Validate(sim.Params{}), c.want)
		})
	}
}

// says checks that the text of an error contains want.
func says(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("it says\n\t%v\nwant\n\t%s", err, want)
	}
}

// TestValidateBugs: bugs that are switched on must be listed.
func TestValidateBugs(t *testing.T) {
	p, err := sound().Configure(0, nil, []string{"S2", "S2"})
	if err != nil || len(p.Bugs()) != 1 || !p.Bug("S2") || p.Bug("S1") {
		t.Fatalf("bugs are %v, %v", p.Bugs(), err)
	}
	unlisted := sound()
	unlisted.Bugs = unlisted.Bugs[:1]
	says(t, unlisted.Validate(p), "system sound: there is no known bug S2; there are S1")
	unlisted.Bugs = nil
	says(t, unlisted.Validate(p), "system sound: there is no known bug S2; there are none")
}

func TestConfigure(t *testing.T) {
	for _, c := range []struct {
		nodes    int
		settings []string
		bugs     []string
		want     string
	}{
		{settings: []string{"size"}, want: `parameter "size" has no value; write name=value`},
		{settings: []string{"sise=3"}, want: `sound has no parameter "sise"; it has size, transport`},
		{settings: []string{"size=2", "size=3"}, want: "parameter size is set twice, to 2 and to 3; give one of them"},
		{settings: []string{"size=many"}, want: `parameter size is "many"; it must be a number from 1 to 12`},
		{settings: []string{"size=13"}, want: `parameter size is 13; it must be from 1 to 12`},
		{settings: []string{"size=0"}, want: `parameter size is 0; it must be from 1 to 12`},
		{settings: []string{"transport=ip"}, want: `parameter transport is "ip"; it must be one of tcp, udp`},
		{bugs: []string{"S3"}, want: `sound has no known bug "S3"; it has S1, S2`},
		{nodes: 9, want: `sound cannot run with 9 nodes here; it runs with 1 to 8`},
		{nodes: -1, want: `sound cannot run with -1 nodes here; it runs with 1 to 8`},
	} {
		_, err := sound().Configure(c.nodes, c.settings, c.bugs)
		says(t, err, c.want)
	}
	bare := sound()
	bare.Params, bare.Bugs, bare.Nodes = nil, nil, nodes(2, 2, 2)
	_, err := bare.Configure(0, []string{"size=1"}, nil)
	says(t, err, `sound has no parameter "size"; it has none`)
	_, err = bare.Configure(0, nil, []string{"S1"})
	says(t, err, `sound has no known bug "S1"; it has none`)
	_, err = bare.Configure(3, nil, nil)
	says(t, err, `sound cannot run with 3 nodes here; it runs with 2`)
}

func TestParams(t *testing.T) {
	sys := sound()
	size, transport := sys.Params[0], sys.Params[1]
	p, err := sys.Configure(4, []string{"transport=udp", "size=5"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintln(p.Nodes, p.Int(size), p.Word(transport), p.Settings(sys), p.Addrs(), p.Addr(3)); got != "4 5 udp [size=5 transport=udp] [n0 n1 n2 n3] n3\n" {
		t.Errorf("params are %s", got)
	}
	p, err = sys.Configure(0, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintln(p.Nodes, p.Int(size), p.Word(transport), p.Settings(sys)); got != "3 2 tcp []\n" {
		t.Errorf("default params are %s", got)
	}
	panics(t, "macemc: there is no node 3; the system runs with 3, counted from 0", func() { p.Addr(3) })
	panics(t, "macemc: there is no node -1; the system runs with 3, counted from 0", func() { p.Addr(-1) })
	panics(t, "macemc: parameter size is a number; read it with Int", func() { p.Word(size) })
	p, _ = sys.Configure(0, []string{"transport=udp"}, nil)
	panics(t, "macemc: parameter transport has the words [tcp udp]; read it with Word", func() { p.Int(transport) })
}

func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); fmt.Sprint(r) != want {
			t.Errorf("it panics with\n\t%v\nwant\n\t%s", r, want)
		}
	}()
	f()
}

// user is a node that calls init in Init and use at a timer; the test defines both.
type user struct {
	init func(sim.Env) `mc:"-"`
	use  func(sim.Env) `mc:"-"`
}

type now struct{}

func (u *user) Init(env sim.Env) {
	if u.init != nil {
		u.init(env)
	}
	env.After(time.Second, now{})
}
func (u *user) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (u *user) Handle(env sim.Env, _ sim.Signal)       { u.use(env) }

// used makes a world of two users, in which use runs on n0 as step 1.
func used(t *testing.T, config world.Config, init, use func(sim.Env)) (*world.World, *trace.Failure) {
	t.Helper()
	sys := sound()
	sys.New = func(sim.Params, sim.Addr) sim.Node { return &user{init, use} }
	if err := sys.Validate(sim.Params{Nodes: 2}); err != nil {
		t.Fatal(err)
	}
	w, err := world.New(sys, sim.Params{Nodes: 2}, config)
	if err != nil {
		t.Fatal(err)
	}
	return w, w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(choose.NewFixed())
	})
}

// TestEnvMisuse checks that each misuse of Env is a finding, at its step, with a sentence and the stack.
func TestEnvMisuse(t *testing.T) {
	var own, other sim.Env // of Init
	keep := func(env sim.Env) {
		if env.Self().String() == "n0" {
			own = env
		} else {
			other = env
		}
	}
	for _, c := range []struct {
		name string
		use  func(sim.Env)
		want string
	}{
		{"kept", func(sim.Env) { own.Choose(2, "x") },
			"macemc: env.Choose of n0 was kept from Init; an Env is valid until its handler returns: pass it on, do not keep it"},
		{"kept by another", func(sim.Env) { other.TCP().Send(sim.Addr{}, text("hello")) },
			"macemc: env.Send of n1 was kept from Init; an Env is valid until its handler returns: pass it on, do not keep it"},
		{"nobody", func(env sim.Env) { env.TCP().Send(sim.Addr{}, text("hello")) },
			`macemc: n0 sends text("hello") to nobody, which is no node; check the address before sending`},
		{"beyond", func(env sim.Env) { env.TCP().Send(sim.Params{Nodes: 3}.Addr(2), text("hello")) },
			`macemc: n0 sends text("hello") to n2, which is no node; check the address before sending`},
		{"room beyond", func(env sim.Env) { env.TCP().RequestToSend(sim.Params{Nodes: 3}.Addr(2)) },
			"macemc: n0 calls RequestToSend about n2, which is no node; check the address before"},
		{"room at nobody", func(env sim.Env) { env.TCP().RequestToSend(sim.Addr{}) },
			"macemc: n0 calls RequestToSend about nobody, which is no node; check the address before"},
		{"nil-message", func(env sim.Env) { env.UDP().Send(env.Peers()[0], nil) },
			"macemc: n0 sends nil to n1; a message is a value of a type of its own"},
		{"uncomparable", func(env sim.Env) { env.After(0, []int{1}) },
			"macemc: env.After([]int[1]): a timer must be a comparable value (no slice, map or func in it), since equal values are one timer"},
		{"uncomparable-inside", func(env sim.Env) { env.Cancel(deedOf{[]int{1}}) },
			"macemc: env.Cancel(deedOf{What: []int[1]}): a timer must be a comparable value (no slice, map or func in it), since equal values are one timer"},
		{"nil-timer", func(env sim.Env) { env.Scheduled(nil) },
			"macemc: env.Scheduled(nil): a timer must be a comparable value (no slice, map or func in it), since equal values are one timer"},
		{"past", func(env sim.Env) { env.After(-time.Second, now{}) },
			"macemc: env.After(-1s, now{}): a timer cannot be in the past"},
		{"nil-task", func(env sim.Env) { env.Post(nil) },
			"macemc: n0 posts nil; a task is a value of a type of its own"},
		{"choose-0", func(env sim.Env) { env.Choose(0, "parent") },
			`macemc: env.Choose(0, "parent"): there must be at least one alternative`},
		{"weighted-none", func(env sim.Env) { env.Weighted(nil, "parent") },
			`macemc: env.Weighted([], "parent"): at least one weight must be more than 0`},
		{"weighted-zero", func(env sim.Env) { env.Weighted([]int{0, 0}, "parent") },
			`macemc: env.Weighted([0 0], "parent"): at least one weight must be more than 0`},
		{"weighted-negative", func(env sim.Env) { env.Weighted([]int{3, -1}, "parent") },
			`macemc: env.Weighted([3 -1], "parent"): a weight is 0 or more`},
		{"unlisted-bug", func(env sim.Env) { env.Bug("S3") },
			`macemc: system sound asks for bug "S3", which System.Bugs does not list`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, f := used(t, world.Config{Audit: true}, keep, c.use)
			if f == nil {
				t.Fatal("nothing was found")
			}
			if f.Verdict != trace.VerdictPanic || f.Step != 1 || f.Node.String() != "n0" || f.Identity != "n0 timer now{}" {
				t.Errorf("found is %+v", f)
			}
			if f.Message != c.want {
				t.Errorf("it says\n\t%s\nwant\n\t%s", f.Message, c.want)
			}
			if !strings.Contains(f.Stack, "world_test.TestEnvMisuse.func") || strings.Contains(f.Stack, "(*World)") {
				t.Errorf("the stack is not the service's:\n%s", f.Stack)
			}
		})
	}
	var kept sim.Env
	w, _ := used(t, world.Config{}, nil, func(env sim.Env) {
		if kept != nil {
			kept.Choose(2, "x")
		}
		kept = env
	})
	panics(t, "macemc: env.Self of n0 was called outside a handler, or by a goroutine; an Env is valid until its handler returns: pass it on, do not keep it",
		func() { kept.Self() })
	f := w.Protect(func() { w.Step(choose.NewFixed()) })
	const want = "macemc: env.Choose of n0 was called by a handler of n1; nodes share nothing: use the Env that the handler was given"
	if f == nil || f.Message != want {
		t.Errorf("found is %+v, want %s", f, want)
	}
}

type deedOf struct{ What any }

type leftOut struct {
	Read []macetime.Time `mc:"-"`
}

// TestUnsupported checks that a run ends with an error about the input, and not with a finding, if the service
// asks for something that this build cannot do.
func TestUnsupported(t *testing.T) {
	for _, c := range []struct {
		name string
		use  func(sim.Env)
		want string
	}{
		{"recovered", func(env sim.Env) {
			defer func() { _ = recover() }()
			env.Post(func() {})
		}, "cannot walk func() (func()): functions have no comparable identity; hand over a value without one"},
		{"unwalkable", func(env sim.Env) { env.Set().Send(env.Peers()[0], func() {}) },
			"cannot walk func() (func()): functions have no comparable identity; hand over a value without one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, f := used(t, world.Config{}, nil, c.use)
			if f != nil {
				t.Errorf("it is a finding: %+v", f)
			}
			says(t, w.Run.Err(), c.want)
			if !world.Unsupported(w.Run.Err()) {
				t.Errorf("%v does not say that it is unsupported", w.Run.Err())
			}
		})
	}
	if world.Unsupported(choose.ErrEnd) || world.Unsupported(nil) {
		t.Error("another error is taken for what is unsupported")
	}
}
