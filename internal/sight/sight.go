package sight

import (
	"reflect"
	"slices"

	"macemc/internal/canon"
	"macemc/macetime"
)

// NodesMost is the largest number of nodes in a system. A state has about 2n*n parts, one for
// each pair of nodes and network, and a search numbers them in 16 bits.
const NodesMost = 160

// State is the part of one runtime that properties can see. The runtime writes all fields except Views. A
// value that is computed from the State is updated only when one of the counters has grown.
type State struct {
	Runtime    Runtime
	Params     any // a sim.Params
	Nodes      []*Node
	Epoch      int // grows when some node is replaced
	Membership int // grows when another set of nodes is up, or when all nodes are replaced

	// Past returns the value that properties see in place of now, which is a node or a
	// layer of it. It is nil if they see the present value.
	Past func(node int, now any) any

	// Views holds the views that were bound, by the type of node that they see. It belongs
	// to package sim.
	Views map[reflect.Type]any
}

// Node is the part of one node that properties can see.
type Node struct {
	Node    any // the node's value, as Subject returns it
	Up      bool
	Version int         // grows when the value is replaced
	Timers  []Scheduled // ordered by identity
}

// Scheduled is a timer that may fire, with the step that scheduled it.
type Scheduled struct {
	*Timer
	Step int32
	Due  macetime.Time // the time when it fires, if timers follow the node's clock
}

// Timer is a timer's value with its identity. A runtime has one Timer for each value, so
// that timers are compared by pointer.
type Timer struct {
	Signal any
	Sum    canon.Hash
	Number int // counted from 0, in the order in which the runtime met them
}

// Replaced records that a node has a new value. The method Regrouped records that another
// set of nodes is up.
func (s *State) Replaced()  { s.Epoch++ }
func (s *State) Regrouped() { s.Epoch, s.Membership = s.Epoch+1, s.Membership+1 }

// Replace sets a new value for the node.
func (n *Node) Replace(node any) {
	n.Node = Subject(node)
	n.Version++
}

// Renew records that the content of the node's value has changed.
func (n *Node) Renew() { n.Version++ }

// Follow copies what properties see of other, a node of another state, to node i. It reports whether node i was replaced,
// or came up or went down, by that.
func (s *State) Follow(i int, other *Node) (another bool) {
	n := s.Nodes[i]
	replaced, moved := n.Version != other.Version, n.Up != other.Up
	switch n.follow(other); {
	case moved:
		s.Regrouped()
	case replaced:
		s.Replaced()
	}
	return replaced || moved
}

func (n *Node) follow(now *Node) {
	n.Node, n.Up, n.Version = now.Node, now.Up, now.Version
	n.Timers = append(n.Timers[:0], now.Timers...)
}

// Schedule schedules a timer, or re-arms it, and reports whether it was not scheduled
// before.
func (n *Node) Schedule(s Scheduled) (added bool) {
	at := 0
	for k := range n.Timers {
		if n.Timers[k].Timer == s.Timer {
			n.Timers[k] = s
			return false
		}
		if h := n.Timers[k].Sum; h.Hi < s.Sum.Hi || h.Hi == s.Sum.Hi && h.Lo < s.Sum.Lo {
			at = k + 1
		}
	}
	n.Timers = slices.Insert(n.Timers, at, s)
	return true
}

// Unschedule removes a timer from the node's timers, and reports whether it was scheduled.
func (n *Node) Unschedule(t *Timer) bool {
	for k := range n.Timers {
		if n.Timers[k].Timer == t {
			n.Fire(k)
			return true
		}
	}
	return false
}

// Fire removes the k-th timer from the node's timers, since it has fired.
func (n *Node) Fire(k int) { n.Timers = append(n.Timers[:k], n.Timers[k+1:]...) }

// Clear removes all timers of the node.
func (n *Node) Clear() { n.Timers = n.Timers[:0] }

// Stand sets the node's timers to a copy of the given ones.
func (n *Node) Stand(timers []Scheduled) { n.Timers = append(n.Timers[:0], timers...) }

// Runtime answers questions of properties about timers and messages, which few of them ask.
type Runtime interface {
	// Timers returns the number of timers that are scheduled on all nodes.
	Timers() int
	// InFlight returns the number of messages under way on TCP and UDP, and in bags.
	InFlight() int
	// UnderWay yields the messages on all links, ordered by link, receiver and sender, each
	// as often as it is there.
	UnderWay(yield func(Sent) bool)
}

// Sent is a message under way.
type Sent struct {
	From, To int
	Link     uint8 // a sim.Link
	Message  any
}

// Port marks a port of a runtime as not being part of a node's state.
type Port interface{ RuntimePort() }
