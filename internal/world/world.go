package world

import (
	"errors"

	"macemc/internal/canon"
	"macemc/internal/state"
	"macemc/sim"
)

// callsMost is how many calls of Env a step may make: a handler that asks for
// more is taken to loop for ever.
const callsMost = 100_000

// World is one run of a system: its nodes, what is under way between them,
// and what is possible now. It takes one step at a time and never searches.
// It is used by one goroutine, and used again for the next run: Start.
//
// A World composes: what is known of the run belongs to its nouns, and a method
// stands at the noun whose fields it touches. They stand in layers, those below
// first; each has pointers to those below it that it needs, and to none above.
// What a caller asks is asked of one of them.
type World struct {
	setting
	sums   state.Sums
	timers timers
	Run    Run   // the step that is running, or the last one
	Links  Links // what is under way, and who may hear of it
	nodes  nodes

	Environ Environment // what may misbehave
	disks   disks       // what a crash leaves of storage
	Events  Events      // what is possible now
	Judge   Judge       // what the system says of the state
	audit   auditor     // an observer: what must not have changed
	State   State       // all of it in parts: saved, loaded, hashed
	Text    Text        // and as lines

	watch goroutineWatch
}

// System returns what the world runs.
func (w *World) System() *sim.System { return w.sys }

// Params returns the values in force.
func (w *World) Params() sim.Params { return w.params }

// Walker tells values as text, in the way that the state is told.
func (w *World) Walker() *canon.Walker { return w.walker }

// Unsupported reports whether an error says that this build cannot do what a
// service asked for.
func Unsupported(err error) bool {
	var u unsupported
	return errors.As(err, &u)
}

// Unused returns the opaque rules that matched nothing in the states met so far.
func (w *World) Unused() []string { return w.walker.Unused() }
