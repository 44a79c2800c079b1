package search

import (
	"testing"
	"weak"

	"macemc/internal/long"
	"macemc/sim"
	"macemc/trace"
)

// peeker is nondeterministic: its steps depend on a value outside of its state, which it did not get
// from Env.
type peeker struct {
	Steps int
	First int
	Of    map[int]bool
	how   peeks
}

type peeking struct{}

// peeks names the value on which the steps of a peeker depend.
type peeks int

const (
	peeksNowhere peeks = iota
	peeksAtMap
	peeksOutside
	peeksAtGarbage
)

func (c *peeker) Init(env sim.Env) {
	c.Of = map[int]bool{}
	for i := range 3 {
		c.Of[i] = true
	}
	env.Post(peeking{})
}
func (*peeker) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (c *peeker) Handle(env sim.Env, _ sim.Signal) {
	c.First = c.peek()
	if c.Steps++; c.Steps < 3 {
		env.Post(peeking{})
	}
}

// left counts steps in a package variable, and has an effect after each 40 of them. The garbage
// collector frees the object of faint, and times counts how often it did.
var (
	left, times int
	faint       weak.Pointer[[64]byte]
)

func (c *peeker) peek() int {
	switch c.how {
	case peeksAtMap:
		for k := range c.Of {
			return k
		}
	case peeksOutside:
		left++
		return left / 40 % 2
	case peeksAtGarbage:
		if faint.Value() == nil {
			faint, times = weak.Make(new([64]byte)), times+1
		}
		return times % 2
	}
	return 1
}

// TestRepeated: nondeterminism is found in a space that is exhausted after few steps, in every search
// and not only in most.
func TestRepeated(t *testing.T) {
	for how, name := range []string{"nothing", "the first key of a map", "a package variable", "a weak pointer"} {
		sys := &sim.System{
			Name: "peeker", Doc: "It chooses.",
			Nodes: func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
			New:   func(sim.Params, sim.Addr) sim.Node { return &peeker{how: peeks(how)} },
		}
		for _, engine := range []Engine{EngineReference, EngineLocal, EngineMemo} {
			for seed := range uint64(long.Of(3, 20)) {
				res := search(t, sys, 0, nil, Options{Engine: engine, Seed: seed + 1, NoWalks: true})
				if how == 0 {
					if res.Finding != nil || res.Repeated != (Repeated{Steps: 4, Times: 40}) || res.Repeated.Escape() > 1e-6 {
						t.Fatalf("%s: %+v, found is %v", engine, res.Repeated, res.Finding)
					}
				} else if res.Finding == nil || res.Finding.Verdict != trace.VerdictNondeterminism {
					t.Errorf("%s, seed %d: what depends on %s is not found: %+v", engine, seed, name, res.Repeated)
				}
			}
		}
	}
}

// idle does nothing.
type idle struct{}

func (*idle) Init(sim.Env)                           {}
func (*idle) Deliver(sim.Env, sim.Addr, sim.Message) {}
func (*idle) Handle(sim.Env, sim.Signal)             {}

// TestRepeatedFaults: steps are repeated with the budgets of the search: a fault that may happen to
// one node only happens to no other one.
func TestRepeatedFaults(t *testing.T) {
	sys := &sim.System{
		Name: "idle", Doc: "It does nothing.",
		Nodes:     func(sim.Params) sim.Range { return sim.Range{Default: 2, Least: 2, Most: 2} },
		Tolerates: sim.Faults{Down: 1},
		New:       func(sim.Params, sim.Addr) sim.Node { return &idle{} },
	}
	faults, err := sim.ParseFaults("down=1@n1")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(long.Of(2, 8)) {
		res := search(t, sys, 0, nil, Options{Seed: seed + 1, NoWalks: true, Conditions: sim.Conditions{Faults: &faults}})
		if res.Finding != nil || res.Repeated.Steps == 0 {
			t.Fatalf("seed %d: %+v, found is %+v", seed+1, res.Repeated, res.Finding)
		}
	}
}
