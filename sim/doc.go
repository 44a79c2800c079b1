// Package sim is the contract between a service and whatever runs it. Package trace has what is
// recorded of a run: its steps, and the verdict of a run that failed.
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
//	Port       a link to other nodes: Send
//	Conn       the Port of TCP: Send returns false if the buffer is full, RequestToSend asks for room
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
//	action     a signal that the node offers while a guard holds (Offers, Gathers)
//	fact       a value that a node emits for monitors, with Env.Emit
//
// # More methods of a node
//
// Besides those of Node, a node or the value from which Handlers make one may have these methods:
//
//	Offers(offer func(Signal))               guarded actions
//	Gathers(in iter.Seq2[Addr, Message], offer func(Signal))
//	                                         guarded actions on the messages of its Set
//	Accepts(from Addr, m Message) bool       a guard on messages
//	Opens(request Signal) bool               a guard on the script
//	Upper() Node                             of a layer: the node that it carries
//	KnownBugs() []Bug                        of a layer: bugs that System.Bugs must list
//	Moment() time.Time                       the present of a node that keeps instants
//
// Each signal that Offers or Gathers passes to offer is an event that is possible now, and is passed
// to Handle if it is chosen. Gathers gets the messages of the Set with their senders, in canonical
// order, without those that a partition blocks. No message is taken out of the set.
//
// A message that Accepts declines cannot be delivered now. TCP and UDP are ordered, so a declined
// message blocks those behind it: only the head of a channel is asked about. (A reorder fault may
// overtake it, but there are none after healing, so the blocked messages then stay blocked.)
// Messages of a Set or a Bag are asked about one by one. While Opens declines the next request of the
// script, that request and those behind it wait.
//
// If several layers have Accepts or Opens, all must agree, so return true for messages and requests
// of other layers. Properties, Offers and Accepts look through a layer at the node that it carries.
//
// Moment is for a node with values of type time.Time, for example inside a library that takes a
// clock. They are compared by their distance from Moment: two nodes are equal if these distances
// are. Zero times stay zero.
//
// All of these must be pure functions of the node's state and of their arguments.
//
// A message that carries another one, of the node above, may have the method
//
//	Carries() (body Message, envelope string)
//
// Reports show the body first, and the words of the envelope behind it, in parentheses. A value of
// any type, at any depth of a node's state, may have the method
//
//	Summary() any
//
// whose result stands for the value. It is a last resort for values that cannot be walked. Prefer
// System.Opaque.
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
