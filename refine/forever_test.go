package refine

import (
	"strings"
	"testing"
	"time"

	"macemc/sim"
)

// A caller calls again by a timer. A coin decides whether the line is free. A noisy system
// has a neighbour whose timer fires for ever.
type caller struct {
	noisy, once, deaf bool
	to                sim.Addr
}

type (
	start struct{}
	redo  struct{}
	noise struct{}
	call  struct{}
)

type ( // facts
	begun struct{}
	heard struct{}
)

var callers = sim.Handle(sim.OnSignal((*caller).start), sim.OnSignal((*caller).redo), sim.OnSignal((*caller).noise), sim.OnMessage((*caller).call))

func (c *caller) start(env sim.Env, _ start) {
	env.Emit(begun{})
	if c.noisy {
		env.After(time.Second, noise{})
		env.TCP().Send(c.to, call{})
		return
	}
	env.After(time.Second, redo{})
}

func (c *caller) redo(env sim.Env, _ redo) {
	if env.Choose(2, "the line is free") == 1 {
		env.TCP().Send(c.to, call{})
	} else if !c.once {
		env.After(time.Second, redo{})
	}
}

func (c *caller) noise(env sim.Env, _ noise) { env.After(time.Second, noise{}) }

func (c *caller) call(env sim.Env, _ sim.Addr, _ call) {
	if !c.deaf {
		env.Emit(heard{})
	}
}

// waiting is hot from the beginning of a call until it is heard.
type waiting struct{ hot bool }

func (w *waiting) observe(_ sim.Addr, fact any) { _, w.hot = fact.(begun) }

func TestForever(t *testing.T) {
	for _, c := range []struct {
		name string
		of   caller
		fair []string
		want string // the lasso; "" if there is none
	}{
		{"a message that waits is delivered, though a timer fires for ever", caller{noisy: true}, nil, ""},
		{"what is not heard is hot for ever", caller{noisy: true, deaf: true}, nil, "n0 timer noise{}"},
		{"a coin may fall on one side for ever", caller{}, nil, "n0 timer redo{}"},
		{"a marked coin does not", caller{}, []string{"the line is free"}, ""},
		{"nothing more happens", caller{once: true}, []string{"the line is free"}, "and nothing more can happen"},
	} {
		sys := &sim.System{
			Name: "callers", Doc: "Callers. One calls.",
			New: func(p sim.Params, self sim.Addr) sim.Node {
				n := c.of
				n.to = p.Addr(1)
				return callers.Node(&n)
			},
			Script: func(p sim.Params, self sim.Addr, _ int) []sim.Signal {
				if self == p.Addr(0) {
					return []sim.Signal{start{}}
				}
				return nil
			},
		}
		params, err := sys.Resolve(sim.Params{Nodes: 2})
		if err != nil {
			t.Fatal(err)
		}
		l, err := Forever(Side{System: sys, Params: params}, Monitor[waiting]{
			Observe: (*waiting).observe, Hot: func(w *waiting) bool { return w.hot }, Fair: c.fair,
		})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case l == nil && c.want != "", l != nil && c.want == "":
			t.Errorf("%s: found %v", c.name, l)
		case l != nil:
			if text := l.String(); !strings.Contains(text, c.want) {
				t.Errorf("%s: %s", c.name, text)
			}
		}
	}
}
