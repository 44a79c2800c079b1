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

// Watch is for who counts what machines do: see sim.Charted.
func (c *Core) Watch(t *sim.ChartTally) { c.tally = t }
