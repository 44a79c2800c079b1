// Package sim is the room of the contract and of one execution.
//
// The contract is what a service is written against: a System is a value that
// says how to make a Node, what the application asks of it, and which
// properties must hold; a Node is three methods; everything that a node does,
// and everything that it asks, goes through Env. The same node runs over real
// sockets under another Env.
//
// The execution is World: it holds the nodes of one system and what is under
// way between them, knows which events are possible now, and takes one step
// at a time. Which event comes next, and how a service's own coins fall, it
// asks of a choose.Source. It never searches: no strategy, no backtracking,
// no reference upward.
//
// A handler is a function of (node, event, answers) to (node, effects). Calls
// of Env that do something append to a list of effects which the World applies
// when the handler has returned. Calls that return something are questions:
//
//   - choices (Choose, Weighted), answered by the Source and enumerated;
//   - facts (Scheduled, what Send returns), computed from the state before the
//     step and the handler's own effects so far, never enumerated.
//
// Words: an event is what can happen now; a step is an event that did happen,
// with all that it did; a signal is a value that a node sends itself or gets
// from its script; a trace is the list of steps.
package sim
