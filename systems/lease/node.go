package lease

import (
	"time"

	"macemc/macetime"
	"macemc/sim"
)

type (
	// write is the application's request.
	write struct{}
	// store is the task that writes.
	store struct{}
	// handOn is the timer that a primary sets for the end of its term.
	handOn struct{}
	// lease makes its receiver the primary, and gives it the value.
	lease struct{ Value int }
)

// These are the facts that nodes emit for the monitors.
type (
	leads  struct{} // a node is the primary from now on
	writes struct{} // a node has written
)

const (
	term     = time.Second
	drift    = 25                     // percent by which a timer may run faster or slower than the clock
	handlers = 100 * time.Millisecond // the longest time that a handler takes
)

// handOnAfter is the duration of the timer handOn. It is longer than the term, so that the term is
// over by the node's clock, too, when the timer fires. That holds even if the timer runs faster
// than the clock by drift percent, and if the handler read the clock only after it set the timer.
const handOnAfter = (term + handlers) * (100 + drift) / 100

// node is a primary or a backup.
type node struct {
	next     sim.Addr
	first    bool
	until    macetime.Time // the end of its lease; zero if it has none
	value    int           // the register, as it was when the node was last the primary
	open     int           // the number of requests that it got and that are not done
	done     int
	requests int           // number of requests that it will get in all
	busy     bool          // a write is posted as a task
	asked    macetime.Time // with LE1: the time when the task was posted
}

var methods = sim.Handle(
	sim.OnInit((*node).init), sim.OnSignal((*node).write), sim.OnSignal((*node).store), sim.OnSignal((*node).handOn),
	sim.OnMessage((*node).lease),
)

// init makes the first node the primary.
func (n *node) init(env sim.Env) {
	if n.first {
		n.begin(env)
	}
}

// begin begins a term in which the node is the primary.
func (n *node) begin(env sim.Env) {
	after := handOnAfter
	switch {
	case env.Bug(LE2): // forgets that a timer may run faster than the clock
		after = term + handlers
	case env.Bug(LE3): // forgets that the clock may be read some time after the timer was set
		after = term * (100 + drift) / 100
	}
	env.After(after, handOn{})
	n.until = env.Now().Add(term)
	env.Emit(leads{})
	n.pursue(env)
}

// pursue posts the task store for the next requested write. It does nothing if the node is not the
// primary, if no write is requested, or if the task is posted already.
func (n *node) pursue(env sim.Env) {
	if n.open == 0 || n.busy || n.until.IsZero() {
		return
	}
	n.busy = true
	if env.Bug(LE1) {
		n.asked = env.Now()
	}
	env.Post(store{})
}

func (n *node) write(env sim.Env, _ write) {
	n.open++
	n.pursue(env)
}

func (n *node) store(env sim.Env, _ store) {
	n.busy = false
	now := env.Now()
	if env.Bug(LE1) { // compares with what the clock showed when the task was posted
		now, n.asked = n.asked, macetime.Time{}
	}
	if !env.Before(now, n.until) { // it waits until the node is the primary again
		n.until = macetime.Time{}
		return
	}
	n.open--
	n.done++
	n.value++
	env.Emit(writes{})
	n.pursue(env)
}

func (n *node) handOn(env sim.Env, _ handOn) {
	env.TCP().Send(n.next, lease{n.value})
}

func (n *node) lease(env sim.Env, _ sim.Addr, l lease) {
	n.value = l.Value
	n.begin(env)
}
