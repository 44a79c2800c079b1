package search

import (
	"testing"
	"time"

	"macemc/sim"
	"macemc/trace"
)

// forked goes left or right once, and never becomes live. Its bit changes again and again, so that the
// state is never at rest.
type forked struct {
	X   int
	Bit bool
}

func (f *forked) Init(env sim.Env) {
	env.Post("left")
	env.Post("right")
	env.After(time.Second, "tick")
}
func (f *forked) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (f *forked) Handle(env sim.Env, s sim.Signal) {
	switch {
	case s == "tick":
		f.Bit = !f.Bit
		env.After(time.Second, "tick")
	case f.X == 0 && s == "left":
		f.X = 1
	case f.X == 0:
		f.X = 2
	}
}

// forking returns a system of one forked node, and a constraint that excludes the states in which X is 2.
func forking() (*sim.System, sim.Constraint) {
	inside := sim.While("x is not 2", func(v sim.View[*forked]) bool {
		for _, f := range v.Nodes() {
			return f.X != 2
		}
		return true
	})
	return &sim.System{
		Name: "forking", Doc: "A node goes left or right.",
		Nodes:      func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
		New:        func(sim.Params, sim.Addr) sim.Node { return &forked{} },
		Properties: []sim.Property{sim.Eventually("it is done", func(sim.View[*forked]) bool { return false })},
	}, inside
}

// TestNoWayOutIsLive: a run may lead to a state outside of Within or Assume. Such a state is not called
// dead, but reaching it is not recovery either: since the system is never live, the critical step is 0.
func TestNoWayOutIsLive(t *testing.T) {
	for name, put := range map[string]func(*sim.System, sim.Constraint){
		"free":   func(*sim.System, sim.Constraint) {},
		"Within": func(s *sim.System, c sim.Constraint) { s.Within = c },
		"Assume": func(s *sim.System, c sim.Constraint) { s.Assume = c },
	} {
		sys, inside := forking()
		put(sys, inside)
		for _, engine := range []Engine{EngineMemo, EngineLocal} {
			r, err := Search(sys, Options{NoWalks: true, Engine: engine})
			if err != nil || r.Verdict() != trace.VerdictDead {
				t.Fatal(name, engine, err, r)
			}
			if c := r.Finding.Critical; c == nil || c.Step != 0 || !c.Exact {
				t.Errorf("%s, %s: critical is %+v of %d steps, and none of them is: it was dead from the start", name, engine, c, r.Finding.Step)
			}
		}
	}
}
