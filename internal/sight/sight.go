package sight

import "reflect"

// NodesMost is the largest number of nodes in a system.
const NodesMost = 64

// State is what properties see of the nodes of one runtime, which writes all of
// it but Views. What follows from it is looked up anew only where a number here
// has grown.
type State struct {
	Runtime    Runtime
	Epoch      int            // grows when a node is replaced
	Membership int            // grows when another set of nodes is up, or all are replaced
	Versions   [NodesMost]int // by node: grows when it is replaced

	// Views are the views that were bound, by the type of node that they see:
	// sim's own.
	Views map[reflect.Type]any
}

// Runtime answers what is asked of a state, and not each time that a property
// is.
type Runtime interface {
	Nodes() int
	// Node is the node with an index, and whether it is up.
	Node(i int) (node any, up bool)
	// Scheduled reports whether a timer is scheduled at a node.
	Scheduled(i int, timer any) bool
	// Timers is the number of timers that are scheduled on all nodes.
	Timers() int
	// InFlight is the number of messages under way on TCP and UDP.
	InFlight() int
}

// Port marks the ports of a runtime, which are no part of a node's state.
type Port interface{ RuntimePort() }
