package pastry

import (
	"fmt"
	"time"

	"macemc/sim"
)

// The messages of nodes, by TCP. All but join and informRequest are sent by
// members alone, and so prove that their sender is one.
type (
	join struct { // from a node that wants to be a member, or is one and looks for others
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

// The requests of the application, and the timers.
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
	peers    []sim.Addr // nodes that may be asked to join
	asked    sim.Addr   // which of them was asked last
	rows     uint64     // those that came, as bits
	leafSet  bool       // it came
	deferred []join     // to be served by a member

	half       [2]half     // the leaves, by side
	table      []candidate // in the order of addresses
	leafAsked  sim.Addr    // which leaf was asked last
	probedLast sim.Addr    // which candidate was

	upper   sim.Node // the application; nobody, if there is none
	overlay overlay  `mc:"-"` // its Env, set anew in every step
}

func (n *node) Init(env sim.Env) {
	if n.upper != nil {
		n.upper.Init(n.above(env))
	}
}

func (n *node) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case join:
		n.join(env, from, m)
	case rowInfo:
		n.rowInfo(env, from, m)
	case leafSetInfo:
		n.leafSetInfo(env, from, m)
	case inform:
		n.inform(env, from)
	case informRequest:
		n.informRequest(env, from)
	case leafSetRequest:
		n.leafSetRequest(env, from)
	case rowRequest:
		n.rowRequest(env, from, m)
	case remove:
		n.lose(env, from)
	case probe:
		n.probe(env, from)
	case probed:
		n.probed(env, from)
	case routed:
		n.pass(env, m)
	default:
		if n.upper == nil {
			panic(fmt.Sprintf("pastry: no case for the message %T", m))
		}
		n.upper.Deliver(n.above(env), from, m)
	}
}

func (n *node) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case joinOverlay:
		n.enter(env, s.peers)
	case joinTimer:
		n.ask(env) // the next peer; what came until now is kept
	case leafTimer:
		n.askLeaf(env)
	case tableTimer:
		n.askCandidate(env)
	case recoveryTimer:
		n.recover(env)
	case arrived:
		n.upper.Deliver(n.above(env), n.self, s.payload)
	case sim.PeerError:
		n.lose(env, s.Peer)
		n.undefer(s.Peer)
		if n.upper != nil {
			n.upper.Handle(n.above(env), s)
		}
	default:
		if n.upper == nil {
			panic(fmt.Sprintf("pastry: no case for the signal %T", s))
		}
		n.upper.Handle(n.above(env), s)
	}
}

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
