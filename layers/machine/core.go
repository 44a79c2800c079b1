package machine

import (
	"fmt"
	"slices"

	"macemc/sim"
)

// Name is the name of a state. Make it a typed constant.
type Name string

// Core is what a machine embeds: where it is, and what it has deferred.
type Core struct {
	state    Name
	below    []Name   // the states that it was pushed over, the lowest first
	deferred []letter // in the order in which they came

	in     *state          // the table of state; no part of a node's state
	may    *reaction       // the reaction that runs; nil: an entry or exit does
	move   moveKind        `mc:"-"` // where it goes when its handler has returned
	to     Name            `mc:"-"`
	raised []any           `mc:"-"`
	fresh  bool            `mc:"-"` // it has moved, so that some of deferred may not be any more
	tally  *sim.ChartTally // set for one step; nil: nobody counts
}

// letter is an event that waits. Of a signal from is zero.
type letter struct {
	value any
	from  sim.Addr
	event uint16 // its place in the table
}

type moveKind uint8

const (
	moveNone moveKind = iota
	moveGoto
	movePush
	movePop
)

func (c *Core) core() *Core { return c }

// State is where the machine is.
func (c *Core) State() Name { return c.state }

// Is reports whether the machine is in one of some states.
func (c *Core) Is(names ...Name) bool { return slices.Contains(names, c.state) }

// Waiting is how many events are deferred.
func (c *Core) Waiting() int { return len(c.deferred) }

// Goto moves the machine to a state when the handler that runs has returned. The table
// says where a handler may go: see Handler.May and State.May.
func (c *Core) Goto(to Name) { c.plan(moveGoto, to) }

// Push enters a state on top of this one, as Goto does, until it is popped.
func (c *Core) Push(on Name) { c.plan(movePush, on) }

// Pop goes back to the state below when the handler that runs has returned. The entry of
// that state does not run again.
func (c *Core) Pop() { c.plan(movePop, "") }

// Raise hands the machine a signal when the handler that runs has returned and the machine
// has moved, before anything else.
func (c *Core) Raise(s sim.Signal) { c.raised = append(c.raised, s) }

func (c *Core) plan(kind moveKind, to Name) {
	if c.move != moveNone {
		panic(fmt.Sprintf("machine: a handler in state %s goes to %q, and goes elsewhere already; it may go once", c.state, to))
	}
	c.move, c.to = kind, to
}

// Those below are for the table, which says where the machine goes.

// reset begins another life.
func (c *Core) reset() { *c = Core{tally: c.tally} }

// begin notes the reaction that runs.
func (c *Core) begin(r *reaction) { c.may = r }

// enter puts the machine into a state.
func (c *Core) enter(s *state) { c.in, c.state, c.may, c.fresh = s, s.name, nil, true }

// cover keeps the state below another one.
func (c *Core) cover() { c.below = append(c.below, c.state) }

// uncover forgets that of the states below, which the machine enters.
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

// release takes an event out of the deferred ones.
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

// rested notes that all that is deferred is to wait here.
func (c *Core) rested() { c.fresh = false }

// next takes the first signal that was raised.
func (c *Core) next() sim.Signal {
	s := c.raised[0]
	if c.raised = c.raised[1:]; len(c.raised) == 0 {
		c.raised = nil
	}
	return s
}

// planned takes where the handler goes by itself.
func (c *Core) planned() (kind moveKind, to Name) {
	kind, to = c.move, c.to
	c.move, c.to = moveNone, ""
	return kind, to
}

// Watch is for who counts what machines do: see sim.Charted.
func (c *Core) Watch(t *sim.ChartTally) { c.tally = t }
