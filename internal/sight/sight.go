package sight

import (
	"reflect"

	"macemc/internal/canon"
	"macemc/macetime"
)

// NodesMost is the largest number of nodes in a system.
const NodesMost = 64

// State is what properties see of one runtime, which writes all of it but Views.
// What follows from it is looked up anew only where a number here has grown.
type State struct {
	Runtime    Runtime
	Params     any // sim's own
	Nodes      []*Node
	Epoch      int // grows when a node is replaced
	Membership int // grows when another set of nodes is up, or all are replaced

	// Views are the views that were bound, by the type of node that they see:
	// sim's own.
	Views map[reflect.Type]any
}

// Node is what can be seen of one node.
type Node struct {
	Node    any // a Subject
	Up      bool
	Version int         // grows when it is replaced
	Timers  []Scheduled // ordered by identity
}

// Scheduled is a timer that may fire, and the step that scheduled it.
type Scheduled struct {
	*Timer
	Step int32
	Due  macetime.Time // where timers keep to the node's clock
}

// Timer is a timer's value with its identity; there is one per value in a
// runtime, so that timers are compared by pointer.
type Timer struct {
	Signal any
	Sum    canon.Hash
	Number int // counted from 0, in the order in which the runtime met them
}

// Runtime answers what is rarely asked of a state.
type Runtime interface {
	// Timers is the number of timers that are scheduled on all nodes.
	Timers() int
	// InFlight is the number of messages under way on TCP and UDP, and in bags.
	InFlight() int
	// UnderWay yields the messages on all links, by link, receiver and sender, each
	// as often as it is there.
	UnderWay(yield func(Sent) bool)
}

// Sent is a message on its way.
type Sent struct {
	From, To int
	Link     uint8 // a sim.Link
	Message  any
}

// Port marks the ports of a runtime, which are no part of a node's state.
type Port interface{ RuntimePort() }
