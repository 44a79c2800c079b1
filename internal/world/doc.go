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
package world
