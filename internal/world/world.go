package world

import (
	"errors"

	"macemc/choose"
	"macemc/internal/canon"
	"macemc/internal/sight"
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

	nodes  []nodeState
	net    sim.Network
	tcp    *netsim.TCP
	udp    *netsim.FIFO
	set    *netsim.Set
	openT  netsim.Bits // channels of tcp whose head its receiver accepts
	openU  netsim.Bits
	script netsim.Bits // nodes whose script has an opening left

	// What is enabled, counted as it changes.
	actions, tasks, timers int
	members                int // of sets, that their nodes accept; not kept where nobody could decline: see openSet

	guarded bool   // some node has Offers or Accepts
	barred  bool   // some node does not listen, or there is a partition
	dirty   uint64 // nodes whose offers and acceptance are out of date, where that matters

	// The environment: see environment.go.
	faults     sim.Faults // the budgets of a run
	left       sim.Faults // and what is left of them
	firings    int        // early firings of a run
	early      int        // and how many are left; Unlimited
	cut        *cut
	away, gone int
	storm      bool // there is something of all this
	disturbed  bool // a connection was reset or broke
	healing    bool // the question is whether to heal
	aftermath  []happening
	faulty     []happening
	splits     []any
	used       [sim.LinkSet + 1]bool // by which something was sent, in any run
	sided      bool                  // a coin with rare sides was asked, in any run

	always     []sight.Check
	eventually []sight.Check
	monitors   []sight.Monitor
	within     sight.Check
	assume     sight.Check

	known   map[any]*sight.Timer
	recents []*sight.Timer // the first few of known
	noted   []timerNotes   // by their numbers

	// The step that is running.
	source   choose.Source
	question choose.Question
	sides    []choose.Run // of the coin that is asked
	asked    asked
	step     int
	acting   sim.Addr
	current  sim.Event
	cause    int
	running  *env
	unwound  bool   // by runtime.Goexit
	hook     string // what else of the system is asked, where it is known
	calls    int
	effects  []sim.Effect
	clocked  []clocked // which of them are about timers
	spent    []int     // by node: the room in the buffer to it that this step has used
	tossed   bool      // a coin with rare sides was asked in this step
	spending bool      // some of it is not 0

	failure *sim.Failure
	err     error

	// What the views of properties go by.
	sees    sight.State
	counted bool // a view has counted the messages under way

	sums   sums
	audit  auditor
	watch  goroutineWatch
	sprint bool
	cover  *Coverage // nil: nobody asked

	tracing bool
	trace   sim.Trace
	coins   []choose.Choice
	facts   []sim.Fact
}

// nodeState is a node and what the World keeps for it.
type nodeState struct {
	node    sim.Node
	seen    sight.Node // as properties see it: the same node, its timers
	env     env
	opening env  // of Init: one that is kept from there is told from the handler's own
	shared  bool // the node is a bank's: copy it before a handler runs
	life    life
	lives   int          // how often it was restarted
	first   []sim.Signal // the script of its first life
	script  []sim.Signal
	next    int // the opening that comes next
	tasks   []posted

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
