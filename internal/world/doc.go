// Package world is the room of one execution: of one run of a system, of the
// parts of its states, and of what is noted and checked while it runs.
//
// The execution is World: it holds the nodes of one system and what is under
// way between them, knows which events are possible now, and takes one step
// at a time. Which event comes next, and how a service's own coins fall, it
// asks of a choose.Source. It never searches: no strategy, no backtracking,
// no reference upward. In go a system, params and answers; out come steps, as
// values of the contract (sim), and states.
//
// A handler is a function of (node, event, answers) to (node, effects). Calls
// of Env that do something append to a list of effects which the World applies
// when the handler has returned. Calls that return something are questions:
//
//   - choices (Choose, Weighted), answered by the Source and enumerated;
//   - facts (Scheduled, what Send returns), computed from the state before the
//     step and the handler's own effects so far, never enumerated.
//
// # Who owns what
//
// A World composes its nouns: it starts a run, takes a step, heals, recovers. A
// line of a noun may touch the fields of that noun, and ask those that stand below:
//
//	setting      what stays as it is for as long as there is the world
//	state.Sums   the identity of each part of the state, and which are out of date
//	timers       the signals that were ever set as timers
//	Run          how far the run is; the step that is running, or the last one
//	Links        what is under way, and what of it may be delivered
//	nodes        the nodes, their timers, tasks, scripts and layers
//	Environment  budgets, crashed and paused nodes, the partition; what faults it can do
//	disks        what a crash leaves of what nodes have stored
//	Events       what is possible now, in its order and with its weights
//	Judge        what the system says of a state: properties, monitors, views
//	auditor      observes: what must not have changed
//	State        all of it as parts: hashed, saved to a Bank, loaded
//	Text         all of it as lines
//
// Coverage and the lockstep of two worlds observe from outside, and no step depends
// on them.
package world
