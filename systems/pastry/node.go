package pastry

import (
	"fmt"
	"time"

	"macemc/sim"
)

// Messages between nodes, by TCP. All but join and informRequest are sent by members alone, and so
// prove that their sender is a member.
type (
	join struct { // from a node that wants to become a member, or from a member that looks for other rings
		source sim.Addr
		row    int // the first row that source still needs
	}
	rowInfo struct { // a row of the routing table
		row   int
		nodes []sim.Addr
	}
	leafSetInfo    struct{ leaves []sim.Addr }
	inform         struct{} // I am a member
	informRequest  struct{} // are you a member?
	leafSetRequest struct{}
	rowRequest     struct{ row int }
	remove         struct{} // I am not a member
)

// Messages by UDP, to and from candidates of the table: are you there, and a member?
type (
	probe  struct{}
	probed struct{}
)

// The requests of the application, and the timers.
type (
	joinOverlay   struct{ peers []sim.Addr }
	joinTimer     struct{} // while joining: ask the next peer
	leafTimer     struct{} // in members, as are the next two timers
	tableTimer    struct{}
	recoveryTimer struct{} // only if there are peers
)

const (
	joinEvery     = 5 * time.Second
	leafEvery     = 20 * time.Second
	tableEvery    = time.Minute
	recoveryEvery = time.Minute
)

// state is the progress of a node in joining the ring.
type state string

const (
	initial state = "init" // the application has not asked it to join
	joining state = "joining"
	joined  state = "joined"
)

// node is one node of the ring.
//
//	joining: the join timer is set; rows and leafSet record what has arrived
//	joined:  the leaf timer and the table timer are set
type node struct {
	self sim.Addr
	keys keyset
	most int // the largest number of leaves in each half

	state    state
	peers    []sim.Addr // nodes that it may ask to join
	asked    sim.Addr   // the peer that was asked last
	rows     uint64     // the rows that have arrived, one bit each
	leafSet  bool       // the leaf set has arrived
	deferred []join     // joins to serve when it is a member

	half       [2]half     // the leaves, by side
	table      []candidate // in the order of addresses
	leafAsked  sim.Addr    // the leaf that was asked last
	probedLast sim.Addr    // the candidate that was probed last

	upper   sim.Node // the application, or nil
	overlay overlay  `mc:"-"` // the Env of the application, set again in every step
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

// meet records that node a is a member, since a message that only members send has come from it.
func (n *node) meet(env sim.Env, a sim.Addr) {
	n.note(a, true)
	if n.place(env, a) && n.state == joined {
		env.TCP().Send(a, inform{}) // this node suits it, too, unless it knows closer ones
	}
}

// learn records nodes that another node has named. They become candidates without proof, since it
// would cost a connection to check each of them, and the node that has named them keeps
// connections to its leaves. A node becomes a leaf only when a message has come from it.
func (n *node) learn(env sim.Env, all []sim.Addr) {
	for _, a := range all {
		n.note(a, false)
		if n.fits(a) {
			env.TCP().Send(a, informRequest{})
		}
	}
}

// lose forgets node a, which has failed or says that it is not a member.
func (n *node) lose(env sim.Env, a sim.Addr) {
	n.strike(a)
	n.unplace(env, a)
}
