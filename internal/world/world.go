package world

import (
	"errors"

	"macemc/internal/canon"
	"macemc/internal/disk"
	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/netsim"
	"macemc/sim"
)

// callsMost is how many calls of Env a step may make: a handler that asks for
// more is taken to loop for ever.
const callsMost = 100_000

// World is one run of a system: its nodes, what is under way between them,
// and what is possible now. It takes one step at a time and never searches.
// It is used by one goroutine, and used again for the next run: Start.
type World struct {
	sys    *sim.System
	params sim.Params
	n      int
	peers  [][]sim.Addr
	walker *canon.Walker

	nodes    []nodeState
	links    links
	environ  environment
	timers   timers
	pace     *sim.Clock  // what timers keep to; nil: they are free
	shuffled bool        // a crash leaves any of the writes that were not synced
	instants *instants   // where nodes hold times; nil: none was read in this world
	script   netsim.Bits // nodes whose script has an opening left
	actions  int         // that nodes offer: see refresh
	tasks    int         // different ones, of all nodes

	judge
	turn
	step    int // how many were taken
	failure *sim.Failure
	err     error

	sums   sums
	audit  auditor
	watch  goroutineWatch
	sprint bool

	tracing bool
	trace   sim.Trace
}

// nodeState is a node and what the World keeps for it.
type nodeState struct {
	node    sim.Node
	seen    sight.Node    // as properties see it: the same node, its timers
	envs    [envsKept]env // of its handlers, in turn: one that was kept is told from the handler's own
	turns   uint8         // how many of them were handed out
	opening env           // of Init
	shared  bool          // the node is a bank's: copy it before a handler runs
	life    life
	lives   int          // how often it was restarted
	first   []sim.Signal // the script of its first life
	script  []sim.Signal
	next    int // the opening that comes next
	tasks   []posted
	disk    *disk.Disk      // what it has stored; nil: nothing
	clock   *macetime.Clock // what is known of its times; nil: it holds none
	ripe    []int32         // which of its timers may fire, where they keep to the clock

	guards   guards
	offers   []sim.Signal
	accepted []int32 // indices of the members of the node's set that it accepts
}

// posted is a task that may run, how many equal ones there are, and the step
// that posted the first. A node's are ordered by identity.
type posted struct {
	signal sim.Signal
	sum    canon.Hash
	count  int
	step   int32
}

// System is what the world runs.
func (w *World) System() *sim.System { return w.sys }

// Params are the values in force.
func (w *World) Params() sim.Params { return w.params }

// Walker tells values as text, in the way that the state is told.
func (w *World) Walker() *canon.Walker { return w.walker }

// Err is why the run stopped without a failure: the source's refusal, or
// something that this build cannot do.
func (w *World) Err() error { return w.err }

// Unsupported reports whether an error says that this build cannot do what a
// service asked for.
func Unsupported(err error) bool {
	var u unsupported
	return errors.As(err, &u)
}

// Steps is the number of steps taken since Start.
func (w *World) Steps() int { return w.step }

// Trace is the record of the run, if Config asked for it. It is the World's
// own: Start empties it.
func (w *World) Trace() *sim.Trace { return &w.trace }

// Unused are the opaque rules that matched nothing in the states met so far.
func (w *World) Unused() []string { return w.walker.Unused() }
