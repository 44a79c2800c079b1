package sight

import (
	"reflect"
	"slices"

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

// Replaced notes that a node is another value, and Regrouped, that another set of nodes
// is up.
func (s *State) Replaced()  { s.Epoch++ }
func (s *State) Regrouped() { s.Epoch, s.Membership = s.Epoch+1, s.Membership+1 }

// Replace puts another value in the place of the node.
func (n *Node) Replace(node any) {
	n.Node = Subject(node)
	n.Version++
}

// Schedule schedules a timer, or schedules it anew, and reports whether it was not
// scheduled before.
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

// Unschedule takes a timer off, and reports whether it was scheduled.
func (n *Node) Unschedule(t *Timer) bool {
	for k := range n.Timers {
		if n.Timers[k].Timer == t {
			n.Fire(k)
			return true
		}
	}
	return false
}

// Fire takes the k-th timer off.
func (n *Node) Fire(k int) { n.Timers = append(n.Timers[:k], n.Timers[k+1:]...) }

// Clear takes all timers off.
func (n *Node) Clear() { n.Timers = n.Timers[:0] }

// Stand makes a copy of these the timers.
func (n *Node) Stand(timers []Scheduled) { n.Timers = append(n.Timers[:0], timers...) }

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
