package world

import (
	"slices"
	"strings"
	"testing"

	"macemc/choose"
	"macemc/internal/observe"
	"macemc/sim"
	"macemc/trace"
)

// counted is a node that lists its handlers by type, and switched is the same node written with type switches.
type (
	counted struct {
		self   sim.Addr
		Seen   []int
		Broken bool
	}
	switched struct{ counted }

	number struct{ n int }
	again  struct{}
	start  struct{}
	unsent struct{}
	unused struct{}
	odd    struct{}
)

func (n *counted) open(env sim.Env) { n.self = env.Self() }

func (n *counted) start(env sim.Env, _ start) {
	for _, to := range env.Peers() {
		env.TCP().Send(to, number{len(n.Seen)})
	}
	env.After(0, again{})
}

func (n *counted) again(env sim.Env, _ again) { env.UDP().Send(env.Peers()[0], odd{}) }

func (n *counted) number(_ sim.Env, _ sim.Addr, m number) { n.Seen = append(n.Seen, m.n) }
func (n *counted) unsent(sim.Env, sim.Addr, unsent)       {}
func (n *counted) unused(sim.Env, unused)                 {}
func (n *counted) broken(sim.Env, sim.PeerError)          { n.Broken = true }

func (n *switched) Init(env sim.Env) { n.open(env) }

func (n *switched) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case number:
		n.number(env, from, m)
	case unsent:
		n.unsent(env, from, m)
	default:
		panic("no case")
	}
}

func (n *switched) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case start:
		n.start(env, s)
	case again:
		n.again(env, s)
	case unused:
		n.unused(env, s)
	case sim.PeerError:
		n.broken(env, s)
	default:
		panic("no case")
	}
}

var countedHandlers = sim.Handle(
	sim.OnInit((*counted).open),
	sim.OnSignal((*counted).start), sim.OnSignal((*counted).again), sim.OnSignal((*counted).unused), sim.OnSignal((*counted).broken),
	sim.OnMessage((*counted).number), sim.OnMessage((*counted).unsent),
)

func counting(make func() sim.Node) *sim.System {
	return &sim.System{
		Name: "counting", Doc: "Counts.",
		New:    func(sim.Params, sim.Addr) sim.Node { return make() },
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{start{}} },
		Properties: []sim.Property{
			sim.Always("few", func(v sim.View[*counted]) bool { return v.Len() == 0 || v.Len() == 3 }),
		},
	}
}

func typed() sim.Node { return countedHandlers.Node(&counted{}) }

// TestHandlersRun checks that a node made by Handlers behaves as the same node with type switches does, and
// has the same text and hash.
func TestHandlersRun(t *testing.T) {
	lines := map[string][]string{}
	for name, make := range map[string]func() sim.Node{"typed": typed, "bare": func() sim.Node { return &switched{} }} {
		w := coverageWorld(t, counting(make), nil, nil)
		f := w.Protect(func() {
			w.Start(choose.NewFixed())
			for range 6 {
				w.Step(choose.NewFixed(0))
			}
			b := w.State.NewBank()
			w.State.Track()
			v := slices.Clone(w.State.At())
			w.State.Save(b, v)
			w.State.Load(b, v)
			w.Step(choose.NewFixed(0))
		})
		if f != nil {
			t.Fatalf("%s: %v", name, f)
		}
		for _, l := range w.Text.Lines() {
			lines[name] = append(lines[name], strings.Replace(l.Path, "counted.", "", 1)+" = "+l.Value)
		}
		if w.State.Bound() != "" {
			t.Errorf("%s: the node is said to hold a function: %s", name, w.State.Bound())
		}
	}
	if a, b := strings.Join(lines["typed"], "\n"), strings.Join(lines["bare"], "\n"); a != b || !strings.Contains(a, "n1.Seen[0] = 0") {
		t.Errorf("typed:\n%s\nbare:\n%s", a, b)
	}
}

// TestUnhandled checks that a message or signal without a handler is reported in one sentence, and that the
// stack has no frame of package sim.
func TestUnhandled(t *testing.T) {
	w := coverageWorld(t, counting(typed), nil, nil)
	f := w.Protect(func() {
		w.Start(choose.NewFixed())
		for {
			n := w.Events.Count()
			w.Step(choose.NewFixed(n - 1)) // timers, then what they sent
			if n == 0 {
				return
			}
			for k := range w.Events.Count() {
				if _, ok := w.Events.At(k).Value.(odd); ok {
					w.Step(choose.NewFixed(k))
				}
			}
		}
	})
	if f == nil || f.Verdict != trace.VerdictUnhandled || f.Message != "*world.counted has no handler of the message world.odd; list one with sim.OnMessage" {
		t.Fatalf("got %+v", f)
	}
	if strings.Contains(f.Stack, "macemc/sim") {
		t.Errorf("the stack: %s", f.Stack)
	}
}

// TestHandlersNeverRan checks that coverage reports a handler whose message or signal never came, unless only
// the environment can make that signal.
func TestHandlersNeverRan(t *testing.T) {
	c := new(observe.Coverage)
	w := coverageWorld(t, counting(typed), nil, c)
	w.Protect(func() {
		w.Start(choose.NewFixed())
		w.Step(choose.NewFixed(0))
	})
	never := strings.Join(never(c, "though there are handlers"), "\n")
	want := "never sent, though there are handlers: unsent\n" +
		"never in a script, offered, posted or scheduled, though there are handlers: unused"
	if never != want {
		t.Errorf("got:\n%s", never)
	}
}

// TestValidateHandlers checks the errors of Validate for tables of handlers with which no run could succeed.
func TestValidateHandlers(t *testing.T) {
	node := func(of ...sim.Handler[*counted]) *sim.System {
		return counting(func() sim.Node { return sim.Handle(of...).Node(&counted{}) })
	}
	for want, sys := range map[string]*sim.System{
		"": counting(typed),
		"system counting: the Script of n0 has a world.start, for which *world.counted has no handler; list one with sim.OnSignal":                                          node(),
		"system counting: *world.counted has two OnMessage of world.number":                                                                                                 node(sim.OnMessage((*counted).number), sim.OnMessage((*counted).number)),
		"system counting: *world.counted has two OnInit":                                                                                                                    node(sim.OnInit((*counted).open), sim.OnInit((*counted).open)),
		"system counting: *world.counted has an OnSignal of interface {}, an interface; a handler is of one type of values":                                                 node(sim.OnSignal(func(*counted, sim.Env, any) {})),
		"system counting: a handler of *world.counted was made by none of OnInit, OnMessage, OnSignal and OnQuorum":                                                         node(sim.Handler[*counted]{}),
		"system counting: the Script of n0 has a world.start, for which *world.counted has no handler; list one with sim.OnSignal (OnMessage is for what other nodes send)": node(sim.OnMessage(func(*counted, sim.Env, sim.Addr, start) {})),
	} {
		got := ""
		if err := sys.Validate(sim.Params{}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

type carrying struct{ upper sim.Node }

func (c *carrying) Upper() sim.Node                 { return c.upper }
func (c *carrying) open(sim.Env, start)             {}
func (c *counted) size() int                        { return 2 }
func (c *counted) both(sim.Env, []sim.Sent[number]) {}
func (c *counted) match(sim.Addr, number) (all struct{}, ok bool) {
	return all, true
}

// TestCarriedQuorumIsRefused checks that Validate returns an error for an OnQuorum in a node that a layer
// carries: the layer passes messages up one by one.
func TestCarriedQuorumIsRefused(t *testing.T) {
	upper := sim.Handle(sim.OnQuorum((*counted).size, (*counted).match, (*counted).both)).Node(&counted{})
	err := counting(func() sim.Node { return sim.Handle(sim.OnSignal((*carrying).open)).Node(&carrying{upper}) }).Validate(sim.Params{})
	want := "*world.counted has an OnQuorum of world.number and is carried by *world.carrying, from which its messages come one by one; handle them by sim.OnMessage"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want ... %s", err, want)
	}
}

// BenchmarkHandlers measures calls of a node that lists its handlers, and of the same node with type switches.
func BenchmarkHandlers(b *testing.B) {
	for name, make := range map[string]func() sim.Node{"typed": typed, "switch": func() sim.Node { return &switched{} }} {
		b.Run(name, func(b *testing.B) {
			n := make()
			b.ReportAllocs()
			for i := range b.N {
				if i%2 == 0 {
					n.Deliver(nil, sim.Addr{}, unsent{})
				} else {
					n.Handle(nil, unused{})
				}
			}
		})
	}
}

type waking struct{ Woken, Opened int }

func (n *waking) Init(sim.Env)         { n.Woken++ }
func (n *waking) open(sim.Env)         { n.Opened++ }
func (n *waking) start(sim.Env, start) {}

// TestInitNeedsNoListing checks that a method Init(Env) starts its node although no OnInit lists it, unless
// OnInit names another method. Otherwise a service that reads its disk in Init would lose the data at each
// restart without an error.
func TestInitNeedsNoListing(t *testing.T) {
	for want, handlers := range map[waking]*sim.Handlers[*waking]{
		{Woken: 1}:  sim.Handle(sim.OnSignal((*waking).start)),
		{Opened: 1}: sim.Handle(sim.OnInit((*waking).open), sim.OnSignal((*waking).start)),
	} {
		node := new(waking)
		handlers.Node(node).Init(nil)
		if *node != want {
			t.Errorf("got %+v, want %+v", *node, want)
		}
	}
}
