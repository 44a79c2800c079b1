// Package sim is the room of the contract: what a service is written against,
// and what of a run those read who are told a finding.
//
// A System is a value that says how to make a Node, what the application asks
// of it, and which properties must hold; a Node handles messages and signals;
// everything that it does, and everything that it asks, goes through Env.
//
// # Start here
//
// Who writes a service needs these names and hardly another; examples/lock, which
// docs/service.md shows, uses most of them:
//
//	System     what is checked: Name, Doc, New, Script, Properties, Bugs
//	Node       the service on one node: Init, Deliver, Handle; or a plain value with
//	Handlers   its methods by what they handle: Handle, OnInit, OnMessage, OnSignal
//	Env        what a handler may ask and do: Send by TCP or UDP, After, Post, Choose
//	Port       a link: Send, which says false where the buffer is full
//	Addr       a node's name; Params.Addr(0) is the first
//	Message    what is sent; Signal: a timer, a task or a request of the node's own
//	PeerError  the signal that a connection broke
//	Always     a property of every state; Eventually: one that can be reached from everywhere
//	Each       a property of every node by itself, asked of those that a step changed
//	View       the nodes that are up, as a property sees them
//	Steps      a property of the states before and after a step
//	Monitor    a property of the facts that nodes Emit
//	Sometimes  a scenario that a search should meet; Within, Assume: bounds, by While
//	Param      a number or a word that a user can set; Params: those in force
//	Bug        a known bug: a few lines that deviate while Env.Bug(ID) is true
//	Faults     how often the environment may misbehave: System.Tolerates
//	Keys       a map's keys in order; Addrs, where they are addresses
//
// An Event is what can happen now, a Step what did, with its Effects; a Verdict
// and a Failure say what was wrong with it.
//
// # How it is run
//
// A handler is a function of (node, event, answers) to (node, effects): what it
// asks Env to do happens when it has returned. What Env answers is a choice, of
// which every answer is tried, or a fact of the state before the step and of
// what the handler has done so far.
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
