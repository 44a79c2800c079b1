package hot_test

import (
	"fmt"
	"testing"
	"time"

	"macemc/choose"
	"macemc/internal/search"
	"macemc/sim"
	"macemc/trace"
)

// A caller repeats a call by a timer; a coin decides whether the line is free. A noisy system also
// has a neighbour whose timer fires for ever.
type caller struct {
	noisy, once, deaf, udp bool
	to                     sim.Addr
	calls                  int // that are counted without end
	counts                 bool
}

type (
	ring  struct{}
	redo  struct{}
	noise struct{}
	call  struct{}
)

type ( // facts
	begun  struct{}
	answer struct{}
)

var callers = sim.Handle(sim.OnSignal((*caller).ring), sim.OnSignal((*caller).redo), sim.OnSignal((*caller).noise), sim.OnMessage((*caller).call))

func (c *caller) ring(env sim.Env, _ ring) {
	env.Emit(begun{})
	if c.noisy {
		env.After(time.Second, noise{})
		if c.udp {
			env.UDP().Send(c.to, call{})
			return
		}
		env.TCP().Send(c.to, call{})
		return
	}
	env.After(time.Second, redo{})
}

func (c *caller) redo(env sim.Env, _ redo) {
	if c.counts {
		c.calls++
	}
	if env.Choose(2, "the line is free") == 1 {
		env.TCP().Send(c.to, call{})
	} else if !c.once {
		env.After(time.Second, redo{})
	}
}

func (c *caller) noise(env sim.Env, _ noise) { env.After(time.Second, noise{}) }

func (c *caller) call(env sim.Env, _ sim.Addr, _ call) {
	if !c.deaf {
		env.Emit(answer{})
	}
}

// waiting is a monitor that is hot from the beginning of a call until the call is heard.
type waiting struct{ hot bool }

func (w *waiting) observe(_ sim.Addr, fact any) { _, w.hot = fact.(begun) }
func (w *waiting) isHot() bool                  { return w.hot }

func callersOf(c caller, fair ...string) *sim.System {
	return &sim.System{
		Name: "callers", Doc: "Callers. One calls.",
		New: func(p sim.Params, self sim.Addr) sim.Node {
			n := c
			n.to = p.Addr(1)
			return callers.Node(&n)
		},
		Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
			if self == p.Addr(0) {
				return []sim.Signal{ring{}}
			}
			return nil
		},
		Properties: []sim.Property{sim.Cools("every call is heard", (*waiting).observe, (*waiting).isHot)},
		Fair:       fair,
	}
}

func TestCools(t *testing.T) {
	const free = "the line is free"
	for _, c := range []struct {
		name  string
		of    caller
		fair  []string
		want  bool
		cycle string // the last step of the run; "" means that nothing happens after it has become hot for ever
	}{
		{"a message that waits is delivered, though a timer fires for ever", caller{noisy: true}, nil, false, ""},
		{"what is not heard is hot for ever", caller{noisy: true, deaf: true}, nil, true, "n0 timer noise{}"},
		{"a coin may fall on one side for ever", caller{}, nil, true, "n0 timer redo{}"},
		{"a marked coin does not", caller{}, []string{free}, false, ""},
		{"nothing more happens", caller{once: true}, []string{free}, true, ""},
		{"a state that never comes back is not found", caller{counts: true}, nil, false, ""},
	} {
		for _, engine := range []search.Engine{search.EngineMemo, search.EngineLocal} {
			opts := search.Options{Engine: engine, Paths: 10}
			if c.of.counts {
				opts.Depth = 10
			}
			res, err := search.Search(callersOf(c.of, c.fair...), opts)
			if err != nil {
				t.Fatal(c.name, err)
			}
			f := res.Finding
			switch {
			case (f != nil) != c.want:
				t.Errorf("%s: found %+v, %v", c.name, f, res.Liveness)
				continue
			case f == nil && !c.of.counts && res.Liveness.State != search.StateExhausted:
				t.Errorf("%s: liveness is %s", c.name, res.Liveness.State)
			case f == nil:
				continue
			}
			n := len(f.Path.Steps)
			if f.Verdict != trace.VerdictHot || f.Lasso == nil || f.Lasso.Since != 1 || f.Critical == nil || f.Critical.Step != 1 {
				t.Errorf("%s: %v %s %+v %+v", c.name, f.Verdict, f.Message, f.Lasso, f.Critical)
			}
			if c.cycle == "" && f.Lasso.From != n || c.cycle != "" && (f.Lasso.From >= n || f.Path.Steps[n-1].Event.What != c.cycle) {
				t.Errorf("%s: the run repeats from %d of %d: %v", c.name, f.Lasso.From, n, f.Path.Steps)
			}
			again, err := search.Replay(callersOf(c.of, c.fair...), f.Path, search.Options{})
			if err != nil || !again.Reproduced || again.Finding.Lasso == nil || again.Finding.Lasso.Since != 1 {
				t.Errorf("%s: replayed, %v %+v", c.name, err, again)
			}
			t.Log(c.name, f.Message)
		}
	}
}

// The replay of a path decides again whether the run stays hot for ever. It does not if it repeats
// its steps from another step on, or if System.Fair now names its coin, which must then also fall
// on the other side.
func TestLassoIsDecidedAgain(t *testing.T) {
	sys := callersOf(caller{})
	res, err := search.Search(sys, search.Options{})
	if err != nil || res.Finding == nil {
		t.Fatal(err, res)
	}
	path := *res.Finding.Path
	path.Header = append([]choose.Field{}, path.Header...)
	path.Set("repeats", fmt.Sprint(res.Finding.Repeats-1))
	again, err := search.Replay(sys, &path, search.Options{})
	if err != nil || again.Reproduced {
		t.Errorf("a run that repeats from another step: %v %+v", err, again)
	}
	marked := callersOf(caller{}, "the line is free")
	if again, err = search.Replay(marked, res.Finding.Path, search.Options{}); err != nil || again.Reproduced {
		t.Errorf("with a marked coin: %v %+v", err, again)
	}
}

// If a space is too large to be exhausted, the search takes walks, and visits the states after
// their ends.
func TestCoolsIsSampled(t *testing.T) {
	sys := callersOf(caller{noisy: true, udp: true})
	res, err := search.Search(sys, search.Options{Conditions: sim.Conditions{Faults: &sim.Faults{Loss: 1}}, Depth: 1, Paths: 50})
	if err != nil || res.Finding == nil {
		t.Fatal(err, res)
	}
	f := res.Finding
	if f.Verdict != trace.VerdictHot || f.Whole() || res.Liveness.State != search.StateFound {
		t.Fatalf("%v %s, liveness %s", f.Verdict, f.Message, res.Liveness.State)
	}
	t.Log(len(f.Path.Steps), f.Message)
}
