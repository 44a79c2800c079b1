package world

import (
	"errors"

	"macemc/internal/canon"
	"macemc/internal/net"
	"macemc/internal/observe"
	"macemc/internal/state"
	"macemc/sim"
)

// callsMost is the largest number of calls of Env in a step: a handler that makes more is considered
// to loop for ever.
const callsMost = 100_000

// World is one run of a system: its nodes, the messages between them, and the events that are possible now.
// It takes one step at a time and never searches. It belongs to one goroutine, and Start makes it ready for
// another run.
//
// A World is composed of parts, each with its own fields and methods. They are layered: each part has
// pointers to the parts below it that it needs, and none to parts above. Callers call the methods of the
// parts.
type World struct {
	setting
	sums   state.Sums
	timers timers
	Run    Run       // the number of steps, and the step that is running or the last one
	Links  net.Links // the messages under way, and which may be delivered
	nodes  nodes

	Environ Environment // the faults
	disks   disks       // the stored data, and what a crash leaves of it
	Events  Events      // the possible events
	Judge   Judge       // the properties
	State   State       // the state in parts: saved, loaded, hashed
	Text    Text        // the state as lines

	watch observe.Goroutines
}

// System returns the system that the world runs.
func (w *World) System() *sim.System { return w.sys }

// Params returns the values of the parameters.
func (w *World) Params() sim.Params { return w.params }

// Walker returns the walker that this world uses to hash values, copy them and write them as text.
func (w *World) Walker() *canon.Walker { return w.walker }

// Work returns the work that the world has done since it was made.
func (w *World) Work() Work { return *w.work }

// Unsupported reports whether an error means that this build does not support something that a service has
// asked for.
func Unsupported(err error) bool {
	var u unsupported
	return errors.As(err, &u)
}

// Unused returns the rules of the system about types of values, such as those of System.Opaque,
// that matched no type met so far. Such a rule may be misspelt.
func (w *World) Unused() []string { return w.walker.Unused() }
