// Package sim is the room of the contract and of one execution.
//
// The contract is what a service is written against: a System is a value that
// says how to make a Node, what the application asks of it, and which
// properties must hold; a Node is three methods; everything that a node does,
// and everything that it asks, goes through Env.
//
// # Start here
//
// Who writes a service needs these names and hardly another; examples/lock, which
// README.md shows, uses most of them:
//
//	System     what is checked: Name, Doc, New, Script, Properties, Bugs
//	Node       the service on one node: Init, Deliver, Handle
//	Env        what a handler may ask and do: Send by TCP or UDP, After, Post, Choose
//	Port       a link: Send, which says false where the buffer is full
//	Addr       a node's name; Params.Addr(0) is the first
//	Message    what is sent; Signal: a timer, a task or a request of the node's own
//	PeerError  the signal that a connection broke
//	Always     a property of every state; Eventually: one that can be reached from everywhere
//	View       the nodes that are up, as a property sees them
//	Steps      a property of the states before and after a step
//	Monitor    a property of the facts that nodes Emit
//	Param      a number or a word that a user can set; Params: those in force
//	Bug        a known bug: a few lines that deviate while Env.Bug(ID) is true
//	Faults     how often the environment may misbehave: System.Tolerates
//	Keys       a map's keys in order; Addrs, where they are addresses
//
// Everything that begins at World is for those who run a service.
//
// # One execution
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
// Two states are equal if their values are. That two slices share an array is
// not part of a value: of two states that differ in nothing else, one is
// explored. A node that keeps a slice and a part of it, and appends to one of
// them, should copy (slices.Clone), or what it does next may depend on what is
// not in its state.
//
// Words: an event is what can happen now; a step is an event that did happen,
// with all that it did; a signal is a value that a node sends itself or gets
// from its script; a trace is the list of steps.
package sim
