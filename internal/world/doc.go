// Package world executes one run of a system: it takes the steps, keeps the parts of the states,
// and records and checks what happens.
//
// The type World holds the nodes of one system and the messages between them, knows which events
// are possible now, and takes one step at a time. It asks a choose.Source which event comes next,
// and how a service's own coins fall. It never searches: it has no strategy, does not backtrack,
// and refers to no package above. Its input is a system, params and answers; its output is steps,
// as values of package sim, and states.
//
// A handler is a function of (node, event, answers) to (node, effects). Calls
// of Env that do something append to a list of effects which the World applies
// when the handler has returned. Calls that return something are questions:
//
//   - choices (Choose, Weighted), answered by the Source and enumerated;
//   - facts (Scheduled, what Send returns), computed from the state before the
//     step and the handler's own effects so far, never enumerated.
//
// # Words
//
// A state has parts: for example each node, with its timers and tasks, is a part, and so is each
// channel and each budget.
//
//	place     the index of a part in a state; the same in all states of a system
//	number    stands for one content of a part; a Bank has the contents by place and number
//	identity  the hash of a state, a part or a value; equal ones have the same
//	packed    kept as bytes, as a difference from a similar node
//	frame     a node part without the node: the timers, tasks, script and the like
//	mold      a node of a world that is filled with packed nodes, so that none need be made
//	twin      a second node with the identity of a part, for checks that equal states behave alike
//	slot      the index of a task or timer among those of its node, or of a message in a set
//	rare      of weight 0: a fault, another event whose weight is 0, or such a side of a coin
//
// # Who owns what
//
// A World consists of the types below. It starts a run, takes a step, heals and recovers. A method
// of one of the types may use its own fields, and call the types in the lines above it:
//
//	setting      the values that never change in a world
//	state.Sums   the identity of each part of the state, and which are out of date
//	timers       the signals that were ever set as timers
//	Run          the number of steps; the step that is running, or the last one
//	net.Links    the messages under way, and which of them may be delivered
//	nodes        the nodes, their timers, tasks, scripts and layers
//	Environment  budgets, crashed and paused nodes, the partition; the possible faults
//	disks        the data that nodes have stored, and how much of it a crash leaves
//	Events       the possible events, in their order and with their weights
//	Judge        the judge of package judge, with the run: failures of what does not hold
//	State        the state as parts: hashed, saved to a Bank, loaded
//	Text         the state as lines
//
// The observers of package observe and the lockstep of two worlds look from outside, and no step
// depends on them.
package world
