package pastry

import (
	"crypto/sha1"

	"macemc/sim"
)

// Overlay is the Env of an application on the ring: all of sim.Env, and messages to names instead
// of nodes.
type Overlay interface {
	sim.Env
	// Route sends m to the node whose key is closest to the name's key, which is the SHA-1 of the
	// name. That node gets it as if the sender had sent it directly. Route returns false if this
	// node is not a member, or if a buffer is full. If nodes on the way fail, the message may get
	// lost: ask again.
	Route(name string, m sim.Message) bool
}

// routed is an application's message on its way to a name.
type routed struct {
	name    string
	source  sim.Addr
	payload sim.Message
}

// arrived is the task that delivers a message to a name that belongs to the sender itself.
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

// Upper returns the application, or nil if there is none.
func (n *node) Upper() sim.Node { return n.upper }

// above returns the application's Env for this step.
func (n *node) above(env sim.Env) sim.Env {
	n.overlay = overlay{env, n}
	return &n.overlay
}

// pass forwards a message on its way to a name, or delivers it to the application. A node that is
// not a member does not know which node owns the name.
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

// hash returns the key of a text, which is its SHA-1.
func hash(text string) key {
	sum := sha1.Sum([]byte(text))
	return keyOf(sum[:])
}
