// Package machine makes nodes of state machines: a table says how each state reacts to each
// event.
//
// A machine is a plain value that embeds a Core, together with a table of States. A state
// has an entry, an exit, and one of four reactions for each event that it expects: it runs
// a handler, moves to another state, defers the event, or ignores it. An event without a
// reaction is a finding with the verdict unhandled.
//
//	type door struct {
//		machine.Core
//		opened int
//	}
//
//	const (
//		shut machine.Name = "shut"
//		open machine.Name = "open"
//	)
//
//	var doors = machine.Define("door",
//		machine.State[*door]{Name: shut, On: machine.On(machine.OnMessage((*door).push).Goto(open)), Ignore: machine.Messages(pull{})},
//		machine.State[*door]{Name: open, Goto: machine.To(shut, machine.Messages(pull{})...), Defer: machine.Messages(push{})},
//	)
//
//	New: func(p sim.Params, self sim.Addr) sim.Node { return doors.Node(&door{}) },
//
// # What happens in a step
//
// A step handles one event. First its handler runs. Then the machine moves as the table
// says, or as the handler says with Goto, Push or Pop: the exit of the old state runs, then
// the entry of the new one. Then the raised events are handled in order, then the first
// deferred event that the state no longer defers, and so on until there is none. All of
// this is one step, since no other event can come in between.
//
// Push enters a state on top of the current one without running its exit. For an event that
// the top state does not name, the states below decide. If their handler stays, it runs and
// the stack remains. If it may move, the states above it are left first.
//
// # Machines that are created during a run
//
// A Host is a node with several machines, which may create others: see Hosting.
package machine
