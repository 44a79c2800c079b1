package pastry

import (
	"crypto/sha1"

	"macemc/sim"
)

// Overlay is the Env of an application that stands on the ring: all of sim.Env,
// and messages that go to a name instead of a node.
type Overlay interface {
	sim.Env
	// Route sends m to the node whose key is closest to the name's, which is its
	// SHA-1. It is delivered as if the sender had sent it there itself. False means
	// refused: this node is no member, or a buffer is full. On its way it may get
	// lost where nodes fail: ask again.
	Route(name string, m sim.Message) bool
}

// routed is a message of an application on its way to a name.
type routed struct {
	name    string
	source  sim.Addr
	payload sim.Message
}

// arrived is a message to a name that is the sender's own: a task.
type arrived struct{ payload sim.Message }

// overlay is the Overlay of a node in a step.
type overlay struct {
	sim.Env
	n *node
}

func (o *overlay) Route(name string, m sim.Message) bool {
	if o.n.state != joined {
		return false
	}
	next := o.n.next(hash(name), sim.Addr{}, false)
	if next == o.n.self {
		o.Env.Post(arrived{m})
		return true
	}
	return o.Env.TCP().Send(next, routed{name, o.n.self, m})
}

// Upper returns the application; nobody, if there is none.
func (n *node) Upper() sim.Node { return n.upper }

// above makes the step's Env that of the application.
func (n *node) above(env sim.Env) sim.Env {
	n.overlay = overlay{env, n}
	return &n.overlay
}

// pass forwards a message that is on its way to a name, or hands it up. A node that is no member
// does not know which node owns the name.
func (n *node) pass(env sim.Env, m routed) {
	if n.state != joined {
		return
	}
	if next := n.next(hash(m.name), sim.Addr{}, false); next != n.self {
		env.TCP().Send(next, m)
		return
	}
	n.upper.Deliver(n.above(env), m.source, m.payload)
}

// hash returns the key of a text.
func hash(text string) key {
	sum := sha1.Sum([]byte(text))
	return keyOf(sum[:])
}
