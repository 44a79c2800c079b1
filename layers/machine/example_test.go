package machine_test

import (
	"fmt"

	"macemc/layers/machine"
	"macemc/sim"
)

type push struct{}

type door struct{ machine.Core }

func (d *door) push(sim.Env, sim.Addr, push) {}

// Define makes a machine of the table of its states. As text, it has the reaction of each state to
// each event.
func ExampleDefine() {
	const shut, open machine.Name = "shut", "open"
	doors := machine.Define("door",
		machine.State[*door]{Name: shut, On: machine.On(machine.OnMessage((*door).push).Goto(open))},
		machine.State[*door]{Name: open, Ignore: machine.Messages(push{})},
	)
	fmt.Print(doors)
	// Output:
	// shut push handled
	// open push ignored
}
