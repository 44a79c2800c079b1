package machine

import (
	"fmt"
	"slices"

	"macemc/internal/charts"
	"macemc/sim"
)

// Name is the name of a state. Make it a typed constant.
type Name string

// Core is embedded in a machine. It holds the current state and the deferred events.
type Core struct {
	state    Name
	below    []Name   // the states below on the stack, the lowest first
	deferred []letter // the deferred events, in the order of arrival

	in     *state        // the table of the current state; not part of a node's state
	may    *reaction     // the reaction that runs now; nil while an entry or exit runs
	move   moveKind      `mc:"-"` // the kind of move that the handler has asked for, which follows it
	to     Name          `mc:"-"`
	raised []any         `mc:"-"`
	fresh  bool          `mc:"-"` // the machine has moved, so some events may no longer be deferred
	tally  *charts.Tally // counts the events of one step; nil if nothing counts them
}

// letter is a deferred event. For a signal, from is zero.
type letter struct {
	value any
	from  sim.Addr
	event uint16 // the index of its type in the table
}

type moveKind uint8

const (
	moveNone moveKind = iota
	moveGoto
	movePush
	movePop
)

func (c *Core) core() *Core { return c }

// State returns the current state.
func (c *Core) State() Name { return c.state }

// Is reports whether the machine is in one of the given states.
func (c *Core) Is(names ...Name) bool { return slices.Contains(names, c.state) }

// Waiting returns the number of deferred events.
func (c *Core) Waiting() int { return len(c.deferred) }

// Goto moves the machine to a state after the current handler has returned. The table must
// allow it: see Handler.May and State.May.
func (c *Core) Goto(to Name) { c.plan(moveGoto, to) }

// Push enters a state on top of the current one, until it is popped. Like Goto, it takes
// effect after the handler has returned.
func (c *Core) Push(on Name) { c.plan(movePush, on) }

// Pop returns to the state below after the handler has returned. The entry of that state
// does not run again.
func (c *Core) Pop() { c.plan(movePop, "") }

// Raise makes the machine handle a signal before anything else, after the current handler
// has returned and the machine has moved.
func (c *Core) Raise(s sim.Signal) { c.raised = append(c.raised, s) }

func (c *Core) plan(kind moveKind, to Name) {
	if c.move != moveNone {
		panic(fmt.Sprintf("machine: a handler in state %s goes to %q, and goes elsewhere already; it may go once", c.state, to))
	}
	c.move, c.to = kind, to
}

// The methods below are for the table, which decides where the machine goes.

// reset clears the core for a new life of its node.
func (c *Core) reset() { *c = Core{tally: c.tally} }

// begin records that reaction r runs now. Until it ends, its handler may go to or push only the
// states that r allows.
func (c *Core) begin(r *reaction) { c.may = r }

// enter puts the machine into a state.
func (c *Core) enter(s *state) { c.in, c.state, c.may, c.fresh = s, s.name, nil, true }

// cover pushes the current state onto the stack.
func (c *Core) cover() { c.below = append(c.below, c.state) }

// uncover removes the top of the stack of states, which the machine is about to enter.
func (c *Core) uncover() {
	if last := len(c.below) - 1; last > 0 {
		c.below = c.below[:last]
	} else {
		c.below = nil
	}
}

// hold defers an event.
func (c *Core) hold(l letter) {
	if c.deferred == nil {
		c.deferred = make([]letter, 0, 4)
	}
	c.deferred = append(c.deferred, l)
}

// release removes the k-th deferred event and returns it.
func (c *Core) release(k int) letter {
	l := c.deferred[k]
	switch {
	case len(c.deferred) == 1:
		c.deferred = nil
	case k == 0 && len(c.deferred) > 32: // without moving the others
		c.deferred[0] = letter{}
		c.deferred = c.deferred[1:]
	default:
		c.deferred = slices.Delete(c.deferred, k, k+1)
	}
	return l
}

// rested records that every deferred event has to wait until the machine moves to another state.
func (c *Core) rested() { c.fresh = false }

// next removes the first raised signal from the list of raised signals, and returns it.
func (c *Core) next() sim.Signal {
	s := c.raised[0]
	if c.raised = c.raised[1:]; len(c.raised) == 0 {
		c.raised = nil
	}
	return s
}

// planned returns the move that the handler itself has asked for, and clears it.
func (c *Core) planned() (kind moveKind, to Name) {
	kind, to = c.move, c.to
	c.move, c.to = moveNone, ""
	return kind, to
}

// WatchMachines is called by macemc before a step, with the tally in which it counts what machines do.
func (c *Core) WatchMachines(tally any) { c.tally, _ = tally.(*charts.Tally) }
