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
//
// A World composes: what is known of the run belongs to its nouns, and a method
// stands at the noun whose fields it touches. They stand in layers, those below
// first; each has pointers to those below it that it needs, and to none above.
// What a caller asks is asked of one of them.
type World struct {
	setting
	sums   sums
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

// setting is what stays as it is for as long as there is the world.
type setting struct {
	sys      *sim.System
	params   sim.Params
	n        int
	peers    [][]sim.Addr
	walker   *canon.Walker
	pace     *sim.Clock // what timers keep to; nil: they are free
	shuffled bool       // a crash leaves any of the writes that were not synced
	tracing  bool       // every step is recorded
	auditing bool       // see auditor
	sprint   bool       // see Config.Sprint
	cover    *Coverage  // an observer: what runs exercise; nil: nobody asked
}

// nodes are the nodes of a system, and what the world keeps of all of them.
type nodes struct {
	*setting
	sums   *sums
	timers *timers
	run    *Run
	links  *Links

	at       []nodeState
	sees     sight.State // what the views of properties go by
	changed  uint64      // those that changed since Judge.Check held
	script   netsim.Bits // those whose script has an opening left
	actions  int         // that they offer: see Events.refresh
	tasks    int         // different ones
	instants *instants   // where they hold times; nil: none was read in this world
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
func (r *Run) Err() error { return r.err }

// Unsupported reports whether an error says that this build cannot do what a
// service asked for.
func Unsupported(err error) bool {
	var u unsupported
	return errors.As(err, &u)
}

// Steps is the number of steps taken since Start.
func (r *Run) Steps() int { return r.step }

// Trace is the record of the run, if Config asked for it. It is the World's
// own: Start empties it.
func (r *Run) Trace() *sim.Trace { return &r.trace }

// Unused are the opaque rules that matched nothing in the states met so far.
func (w *World) Unused() []string { return w.walker.Unused() }
