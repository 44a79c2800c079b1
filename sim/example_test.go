package sim_test

import (
	"fmt"

	"macemc/sim"
)

type hello struct{}

type greet struct{}

// greeter greets the first node, which counts.
type greeter struct {
	first  sim.Addr
	greets int
}

func (g *greeter) greet(env sim.Env, _ greet)     { env.TCP().Send(g.first, hello{}) }
func (g *greeter) hello(sim.Env, sim.Addr, hello) { g.greets++ }
func all(v sim.View[*greeter]) bool {
	first, up := v.At(v.Params().Addr(0))
	return up && first.greets == 2
}
func opening(p sim.Params, self sim.Addr, _ int) []sim.Signal {
	if self == p.Addr(0) {
		return nil
	}
	return []sim.Signal{greet{}}
}

// A System is a value. Validate reports what its author has forgotten: here, the handler
// of hello messages is there, and that of the script's greet signal is not.
func ExampleSystem_Validate() {
	sys := &sim.System{
		Name:       "greetings",
		Doc:        "Every node greets the first one.",
		Script:     opening,
		Properties: []sim.Property{sim.Eventually("the first node was greeted by all", all)},
	}
	params, err := sys.Configure(3, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	some := sim.Handle(sim.OnMessage((*greeter).hello))
	sys.New = func(p sim.Params, _ sim.Addr) sim.Node { return some.Node(&greeter{first: p.Addr(0)}) }
	fmt.Println(sys.Validate(params))

	both := sim.Handle(sim.OnMessage((*greeter).hello), sim.OnSignal((*greeter).greet))
	sys.New = func(p sim.Params, _ sim.Addr) sim.Node { return both.Node(&greeter{first: p.Addr(0)}) }
	fmt.Println(sys.Validate(params))
	// Output:
	// system greetings: the Script of n1 has a sim_test.greet, for which *sim_test.greeter has no handler; list one with sim.OnSignal
	// <nil>
}
