package search

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"macemc/sim"
	"macemc/trace"
)

// climber counts to five by tasks. At the second, it calls the function of the test.
type climber struct {
	N    int
	work func(*climber, sim.Env) `mc:"-"`
}

func (c *climber) Init(sim.Env)                           {}
func (c *climber) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *climber) Handle(env sim.Env, s sim.Signal) {
	c.N++
	if c.N == 2 && c.work != nil {
		c.work(c, env)
	}
	if c.N < 5 {
		env.Post(s)
	}
}

type climbers = sim.View[*climber]

func climbing(work func(*climber, sim.Env)) *sim.System {
	return &sim.System{
		Name: "climbers", Doc: "Two nodes count.",
		Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		New:    working(work),
		Script: func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{"go"} },
		Properties: []sim.Property{
			sim.Always("small", func(climbers) bool { return true }),
			sim.Eventually("high", func(v climbers) bool { return at(v, 5) }),
		},
	}
}

func working(work func(*climber, sim.Env)) func(sim.Params, sim.Addr) sim.Node {
	return func(sim.Params, sim.Addr) sim.Node { return &climber{work: work} }
}

func at(v climbers, n int) bool {
	for _, c := range v.Nodes() {
		if c.N == n {
			return true
		}
	}
	return false
}

// panicAt panics where a node has counted to three.
func panicAt(v climbers) bool {
	if at(v, 3) {
		panic("at three")
	}
	return true
}

var bothEngines = []Options{{Engine: EngineMemo}, {Engine: EngineLocal}, {Engine: EngineReference}, {Engine: EngineMemo, Depth: 1, Paths: 200}}

// badError is an error whose method Error panics.
type badError struct{}

func (badError) Error() string { panic("in Error") }

// If a function of a System panics, changes its arguments, or does not return the same each time,
// the search has a finding with the verdict and the name of the function.
func TestMisbehavingHooksAreFound(t *testing.T) {
	flips := 0
	for _, c := range []struct {
		name    string
		change  func(*sim.System)
		verdict trace.Verdict
		says    string
	}{
		{"always", func(s *sim.System) { s.Properties[0] = sim.Always("small", panicAt) }, trace.VerdictPanic, `property "small" panics: at three`},
		{"eventually", func(s *sim.System) {
			s.Properties[1] = sim.Eventually("high", func(v climbers) bool { return panicAt(v) && at(v, 5) })
		}, trace.VerdictPanic, `property "high" panics: at three`},
		{"steps", func(s *sim.System) {
			s.Properties[0] = sim.Steps("small", func(_, after climbers) bool { return panicAt(after) })
		}, trace.VerdictPanic, `property "small" panics: at three`},
		{"within", func(s *sim.System) { s.Within = sim.While("low", panicAt) }, trace.VerdictPanic, `System.Within "low" panics: at three`},
		{"assume", func(s *sim.System) { s.Assume = sim.While("calm", panicAt) }, trace.VerdictPanic, `System.Assume "calm" panics: at three`},
		{"weight", func(s *sim.System) {
			s.Weight = func(e sim.Event) float64 {
				if e.Kind == sim.KindTask {
					panic("at a task")
				}
				return 1
			}
		}, trace.VerdictPanic, "System.Weight panics: at a task"},
		{"not a number", func(s *sim.System) { s.Weight = func(sim.Event) float64 { return math.NaN() } }, trace.VerdictPanic, "Weight of n0 script \"go\" is NaN"},
		{"infinite", func(s *sim.System) { s.Weight = func(sim.Event) float64 { return math.Inf(1) } }, trace.VerdictPanic, "Weight of n0 script \"go\" is +Inf"},
		{"offers", func(s *sim.System) { s.New = newHost(true) }, trace.VerdictPanic, "the Offers of n0 panics: offers"},
		{"accepts", func(s *sim.System) { s.New = newHost(false) }, trace.VerdictPanic, "the Accepts of n1 panics: accepts"},
		{"explanation of always", func(s *sim.System) {
			s.Properties[0] = sim.Always("small", func(v climbers) bool { return !at(v, 3) }, func(climbers) string { panic("explain") })
		}, trace.VerdictSafety, "(its explanation panics: explain)"},
		{"explanation of eventually", func(s *sim.System) {
			s.Properties[1] = sim.Eventually("high", func(climbers) bool { return false }, func(climbers) string { panic("explain") })
		}, trace.VerdictDead, "(its explanation panics: explain)"},
		{"error that panics", func(s *sim.System) {
			s.New = working(func(*climber, sim.Env) { panic(badError{}) })
		}, trace.VerdictPanic, "PANIC=Error method: in Error"},
		{"writes", func(s *sim.System) {
			s.Properties[0] = sim.Always("small", func(v climbers) bool {
				for _, c := range v.Nodes() {
					if c.N > 2 {
						c.N = 0
					}
				}
				return true
			})
		}, trace.VerdictMutation, `property "small" changed the state of n`},
		{"varies", func(s *sim.System) {
			s.Properties[1] = sim.Eventually("high", func(climbers) bool { flips++; return flips%2 == 0 })
		}, trace.VerdictNondeterminism, `property "high" was `},
		{"monitor that panics", func(s *sim.System) {
			s.New = working(func(_ *climber, env sim.Env) { env.Emit(1) })
			s.Properties[0] = sim.Monitor("watch", func(*int, sim.Addr, any) error { panic("observed") })
		}, trace.VerdictPanic, `monitor "watch" panics: observed`},
		{"fact that changes", func(s *sim.System) {
			s.New = func(sim.Params, sim.Addr) sim.Node { return new(leaker) }
			s.Properties = []sim.Property{sim.Monitor("watch", func(m *[]*int, _ sim.Addr, fact any) error { *m = append(*m, fact.(*int)); return nil })}
		}, trace.VerdictMutation, `the memory of the monitor "watch" changed while n0 ran`},
		{"Choose", func(s *sim.System) {
			s.New = working(func(_ *climber, env sim.Env) { env.Choose(1<<32, "too many") })
		}, trace.VerdictPanic, "at most 1<<31 alternatives"},
		{"NaN timer", func(s *sim.System) {
			s.New = working(func(_ *climber, env sim.Env) { env.After(1, math.NaN()) })
		}, trace.VerdictPanic, "a timer must be equal to itself"},
		{"Goexit", func(s *sim.System) {
			s.New = working(func(*climber, sim.Env) { runtime.Goexit() })
		}, trace.VerdictPanic, "the handler ended its goroutine by runtime.Goexit"},
	} {
		for _, opts := range bothEngines {
			if opts.Depth > 0 && strings.HasPrefix(c.says, "System.") && c.name != "weight" {
				continue // walks do not call this function of the system
			}
			t.Run(fmt.Sprintf("%s/%s/%d", c.name, opts.Engine, opts.Depth), func(t *testing.T) {
				sys := climbing(nil)
				c.change(sys)
				res, err := Search(sys, opts)
				if err != nil {
					t.Fatal(err)
				}
				f := res.Finding
				switch {
				case f == nil:
					t.Fatal("nothing was found")
				case f.Verdict != c.verdict || !strings.Contains(f.Message, c.says):
					t.Fatalf("found is %s %q: %s", f.Verdict, f.Property, f.Message)
				case f.Verdict == trace.VerdictPanic && !strings.Contains(f.Stack, "hooks_test.go") && !strings.Contains(f.Message, "Weight of"):
					t.Errorf("its stack is\n%s", f.Stack)
				}
				if name, is := strings.CutPrefix(c.says, "property \""); is && f.Property != name[:strings.IndexByte(name, '"')] {
					t.Errorf("it is not the property's: %q", f.Property)
				}
				again, err := Replay(sys, f.Path, Options{})
				if err != nil || !again.Reproduced && c.verdict != trace.VerdictNondeterminism {
					t.Errorf("replayed it is %+v, %v", again, err)
				}
			})
		}
	}
}

// host is a node whose guards panic once it has counted to two.
type host struct {
	climber
	offers bool
}

func newHost(offers bool) func(sim.Params, sim.Addr) sim.Node {
	return func(sim.Params, sim.Addr) sim.Node {
		work := func(_ *climber, env sim.Env) { env.TCP().Send(env.Peers()[0], "hello") }
		return &host{climber{work: work}, offers}
	}
}

func (h *host) Upper() sim.Node { return &h.climber }

func (h *host) Offers(func(sim.Signal)) {
	if h.offers && h.N == 2 {
		panic("offers")
	}
}

func (h *host) Accepts(sim.Addr, sim.Message) bool {
	if !h.offers {
		panic("accepts")
	}
	return true
}

// leaker emits a pointer to memory that it changes later.
type leaker struct{ count *int }

func (l *leaker) Init(env sim.Env) {
	l.count = new(int)
	env.Emit(l.count)
}
func (l *leaker) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (l *leaker) Handle(sim.Env, sim.Signal)             { *l.count++ }

// TestInputPanics: if New or Script panics, the search returns an error, which names the function
// and the place.
func TestInputPanics(t *testing.T) {
	for want, change := range map[string]func(*sim.System){
		"system climbers: at n0, New panics: new (hooks_test.go:": func(s *sim.System) {
			s.New = func(sim.Params, sim.Addr) sim.Node { panic("new") }
		},
		"system climbers: at n0, Script panics: script (hooks_test.go:": func(s *sim.System) {
			s.Script = func(sim.Params, sim.Addr, int) []sim.Signal { panic("script") }
		},
		"system climbers: the Script of n0 has a nil signal": func(s *sim.System) {
			s.Script = func(sim.Params, sim.Addr, int) []sim.Signal { return []sim.Signal{nil} }
		},
	} {
		sys := climbing(nil)
		change(sys)
		if _, err := Search(sys, Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

// A step property that changes a node is named, although other properties are asked before the next step. It changes
// the node that took no part in the step, which the second run of the step does not show.
func TestStepPropertyThatWritesIsFound(t *testing.T) {
	sys := climbing(nil)
	sys.Properties = append(sys.Properties, sim.Steps("grows", func(before, after climbers) bool {
		for a, c := range after.Nodes() {
			for b, other := range after.Nodes() {
				if was, ok := before.At(a); ok && was.N < c.N && c.N > 2 && a != b {
					other.N = -1
				}
			}
		}
		return true
	}))
	for _, opts := range bothEngines[2:] {
		res, err := Search(sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if f := res.Finding; f == nil || f.Verdict != trace.VerdictMutation || f.Property != "grows" || f.Step != 3 {
			t.Errorf("%s: found is %+v", opts.Engine, f)
		}
	}
}
