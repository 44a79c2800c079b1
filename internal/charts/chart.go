package charts

import "fmt"

// Chart is the table of a state machine: how each state reacts to each event. It is not
// part of a node's state.
type Chart struct {
	Name   string
	States []string   // the first is the start
	Events []string   // the types of the messages and signals
	Pairs  []Reaction // the reaction of state s to event e is Pairs[s*len(Events)+e]
	Enters [][]int    // for each state, the states to which the machine may move at once when it enters that state, by the state's entry function
}

// HandlerTable says that a chart is not a part of a node's state: see sight.Table.
func (c *Chart) HandlerTable() {}

// Reaction is what a state does when an event arrives.
type Reaction struct {
	Kind ReactionKind
	To   []int // the states that the machine may move to; empty if it stays
	Pops bool  // whether the machine may return to the state below on its stack
}

// ReactionKind is a kind of Reaction.
type ReactionKind uint8

// The kinds of reactions.
const (
	ReactionNone ReactionKind = iota // the state does not expect the event
	ReactionHandle
	ReactionDefer
	ReactionIgnore
)

func (k ReactionKind) String() string {
	switch k {
	case ReactionNone:
		return "unhandled"
	case ReactionHandle:
		return "handled"
	case ReactionDefer:
		return "deferred"
	case ReactionIgnore:
		return "ignored"
	default:
		return fmt.Sprintf("reaction %d", uint8(k))
	}
}

func (c *Chart) Pair(state, event int) *Reaction { return &c.Pairs[state*len(c.Events)+event] }
