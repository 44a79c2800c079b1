package pastry

import (
	"crypto/sha1"

	"macemc/sim"
)

// Overlay is the Env of an application on the ring. It has all of sim.Env, and sends messages to
// names besides.
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

// arrived is a task that a node posts when its application sends a message to a name that belongs
// to this very node. The task delivers the message to the application.
type arrived struct{ payload sim.Message }

// overlay is the Overlay that a node makes for its application in one step.
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

// Upper returns the application above the node, or nil if there is none.
func (n *node) Upper() sim.Node { return n.upper }

// above returns the Env of the application for this step.
func (n *node) above(env sim.Env) sim.Env {
	n.overlay = overlay{env, n}
	return &n.overlay
}

// pass sends message m to the next node on its way to a name, or delivers it to the application
// if the name belongs to this node. A node that is not a member does not know to which node a
// name belongs.
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

// hash returns the SHA-1 of a text as a key.
func hash(text string) key {
	sum := sha1.Sum([]byte(text))
	return keyOf(sum[:])
}
