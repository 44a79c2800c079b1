package pastry

import (
	"time"

	"macemc/sim"
)

// What nodes send each other, by TCP. All but join and informRequest are sent by
// members alone, and so prove who sends them to be one.
type (
	join struct { // who wants to be a member, or is one and looks for others
		source sim.Addr
		row    int // the first that source still needs
	}
	rowInfo struct { // a row of the routing table
		row   int
		nodes []sim.Addr
	}
	leafSetInfo    struct{ leaves []sim.Addr }
	inform         struct{} // I am a member
	informRequest  struct{} // are you?
	leafSetRequest struct{}
	rowRequest     struct{ row int }
	remove         struct{} // I am no member
)

// By UDP, to and from candidates of the table: are you there, and a member?
type (
	probe  struct{}
	probed struct{}
)

// What the application asks for, and the timers.
type (
	joinOverlay   struct{ peers []sim.Addr }
	joinTimer     struct{} // set while joining: ask the next one
	leafTimer     struct{} // set in members, as are the next two
	tableTimer    struct{}
	recoveryTimer struct{} // if there are peers
)

const (
	joinEvery     = 5 * time.Second
	leafEvery     = 20 * time.Second
	tableEvery    = time.Minute
	recoveryEvery = time.Minute
)

// state is how far a node is.
type state string

const (
	initial state = "init" // the application has not asked for anything
	joining state = "joining"
	joined  state = "joined"
)

// node is one node of the ring.
//
//	joining: the join timer is set; rows and leafSet say what came
//	joined:  the leaf and the table timer are set
type node struct {
	self sim.Addr
	keys keyset
	most int // leaves in each half

	state    state
	peers    []sim.Addr // who may be asked to join
	asked    sim.Addr   // which of them was asked last
	rows     uint64     // those that came, as bits
	leafSet  bool       // it came
	deferred []join     // to be served by a member

	half       [2]half     // the leaves, by side
	table      []candidate // in the order of addresses
	leafAsked  sim.Addr    // which leaf was asked last
	probedLast sim.Addr    // which candidate was
}

var handlers = sim.Handle(
	sim.OnSignal((*node).enter), sim.OnSignal((*node).retry),
	sim.OnSignal((*node).askLeaf), sim.OnSignal((*node).askCandidate), sim.OnSignal((*node).recover),
	sim.OnSignal((*node).broken),
	sim.OnMessage((*node).join), sim.OnMessage((*node).rowInfo), sim.OnMessage((*node).leafSetInfo),
	sim.OnMessage((*node).inform), sim.OnMessage((*node).informRequest),
	sim.OnMessage((*node).leafSetRequest), sim.OnMessage((*node).rowRequest), sim.OnMessage((*node).remove),
	sim.OnMessage((*node).probe), sim.OnMessage((*node).probed),
)

func (n *node) key() key { return n.keys.of(n.self) }

// meet is about a member from which a message came.
func (n *node) meet(env sim.Env, a sim.Addr) {
	n.note(a, true)
	if n.place(env, a) && n.state == joined {
		env.TCP().Send(a, inform{}) // this node suits it, too, unless it knows closer ones
	}
}

// learn is about nodes that were heard of, from one that keeps connections to its
// leaves. They come into the table as they are, or each mention would cost this
// node a connection, too; a leaf must have answered.
func (n *node) learn(env sim.Env, all []sim.Addr) {
	for _, a := range all {
		n.note(a, false)
		if n.fits(a) {
			env.TCP().Send(a, informRequest{})
		}
	}
}

// lose forgets a node that failed, or says that it is no member.
func (n *node) lose(env sim.Env, a sim.Addr) {
	n.strike(a)
	n.unplace(env, a)
}

func (n *node) broken(env sim.Env, e sim.PeerError) {
	n.lose(env, e.Peer)
	n.undefer(e.Peer)
}

func (n *node) remove(env sim.Env, from sim.Addr, _ remove) { n.lose(env, from) }
