// Package machine makes a node of states: what each state does about each event.
//
// A machine is a plain value that embeds a Core, and a table of States. A state has an
// entry, an exit, and for each event that it expects one of four reactions: a handler, a
// move to another state, to defer the event, or to ignore it. An event that a state says
// nothing about is a finding with the verdict unhandled.
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
// A step handles one event. Its handler runs first; then the machine moves, as the table or
// the handler (by Goto, Push, Pop) says: the exit of the state that it leaves, the entry of
// the one that it enters. Then come the events that were raised, in order, then the first
// deferred event that the state no longer defers, and so on until there is none. All of
// that is one step, since no other event could come in between.
//
// Push enters a state on top of the one that it leaves, without its exit. What the state on
// top does not name, those below it decide: a handler that stays runs, and the top with
// it; before one that may move, the states above it are left.
//
// # Machines that are made during a run
//
// A Host is a node that has several machines and may make others: see Hosting.
package machine
