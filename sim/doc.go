// Package sim is the contract between a service and whatever runs it. It also defines the
// parts of a run that reports refer to: events, steps, verdicts.
//
// A System is a value that says how to make a Node, which requests the application makes of
// it, and which properties must hold. A Node handles messages and signals. Everything that
// a handler does, and every question that it asks, goes through Env.
//
// # Start here
//
// Most services need only these names. The service in examples/lock, which docs/service.md
// explains, uses most of them:
//
//	System     what is checked: Name, Doc, New, Script, Properties, Bugs
//	Node       the service on one node: Init, Deliver, Handle
//	Handlers   makes a Node of a plain value and its methods: Handle, OnInit, OnMessage, OnSignal
//	Env        what a handler may do and ask: TCP or UDP, After, Post, Choose
//	Port       a link to other nodes: Send, which returns false if the buffer is full
//	Addr       the address of a node; Params.Addr(0) is the first
//	PeerError  the signal that a connection broke
//	Always     a property of every state
//	Eventually a property of some state that must stay reachable from every state
//	Each       a property of every node by itself, evaluated only for nodes that changed
//	View       the running nodes, as a property sees them
//	Steps      a property of the states before and after a step
//	Monitor    a property of the facts that nodes Emit
//	Cools      a monitor that no fair run leaves hot for ever
//	Sometimes  a scenario that a useful search reaches
//	While      a constraint, for System.Within and System.Assume
//	Param      a number or a word that the user can set; Params has the values in force
//	Bug        a known bug: a few lines that run only while Env.Bug(ID) is true
//	Faults     how often the environment may misbehave: System.Tolerates
//	Keys       the keys of a map in order; Addrs does the same for addresses
//
// # Words
//
//	event      something that can happen now
//	step       an event that happened, with everything that the handler did (its Effects)
//	trace      the list of steps of a run
//	message    a value that one node sends to another
//	signal     a value that a node receives from itself or from its script
//	timer      a signal that was scheduled with Env.After
//	task       a signal that was queued with Env.Post
//	request    a signal from the node's script, sent by the application
//	action     a signal that the node offers while a guard holds (Offerer, Gatherer)
//	fact       a value that a node emits for monitors, with Env.Emit
//
// A Verdict and a Failure describe how a run failed.
//
// # How handlers run
//
// A handler is a function from (node, event, answers) to (node, effects): what it asks Env
// to do happens after it has returned. An answer of Env is either a choice, and then every
// answer is tried, or a fact that follows from the state before the step and from what the
// handler has done so far.
//
// Two states are equal if their values are equal. Whether two slices share an array is not
// part of a value, so of two states that differ only in this, one is explored. A node that
// keeps a slice and a part of it, and appends to one of them, should copy the slice first
// (slices.Clone). Otherwise its next step may depend on something that is not in its state.
package sim
