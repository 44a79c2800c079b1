package randtree

import (
	"iter"
	"slices"
	"time"

	"macemc/sim"
)

// The messages of nodes.
type (
	join struct { // from a node that looks for a parent
		source  sim.Addr
		attempt int
		via     sim.Addr // the root that pushed it down; nobody: on its way to a root
	}
	joinReply struct {
		status   status
		attempt  int // of the join, where it was accepted
		root     sim.Addr
		siblings []sim.Addr // of a child of the root: the root's children
	}
	remove  struct{}                // I am not your child
	rejoin  struct{}                // do not be my child any more
	newRoot struct{ root sim.Addr } // to children: the tree has another root
	update  struct{ siblings []sim.Addr }
	probe   struct{ root sim.Addr } // whose tree are you in? I am in that of root
	probed  struct{}                // I have looked at your probe
	// probeJoin names a root of another tree to a root that is higher.
	probeJoin struct{ root sim.Addr }
)

// status is what became of a join.
type status string

const (
	accepted  status = "accepted"   // you are my child
	forceRoot status = "force root" // you are lower than I am: be a root, I shall join you
	loopError status = "loop error" // I am in your tree: you are its root
)

// The requests of the application, and the timers.
type (
	joinOverlay struct {
		peers []sim.Addr
		visit bool // leave once, and come back
	}
	joinTimer     struct{} // set while joining: ask the next one
	recoveryTimer struct{} // set while the application wants to be in the overlay
	leaveTimer    struct{} // the visit is over
	returnTimer   struct{} // for good
)

const (
	joinEvery     = 5 * time.Second
	recoveryEvery = 10 * time.Second
	visitFor      = time.Minute
	awayFor       = time.Minute
)

// state is how far a node is.
type state string

const (
	initial state = "init" // the application has not asked for anything
	joining state = "joining"
	joined  state = "joined"
)

// node is one node of the tree. Its slices are in order, without doubles, nil
// if empty, and never changed in place, so that messages may carry them.
//
//	initial: nobody is known but peers; no timer is set
//	joining: root == self, parent nobody; some peer is no child of this node
//	joined:  root == self == parent, or parent is the node that accepted self
//
// The children last heard of root and, while self is the root, of kids.
type node struct {
	most   int  // children
	silent bool // RT2

	state     state
	root      sim.Addr
	parent    sim.Addr // nobody: not joined; self: this is a root
	kids      []sim.Addr
	siblings  []sim.Addr // while the parent is the root: its children, self included
	peers     []sim.Addr // nodes that may be asked to join, and are probed
	bootstrap sim.Addr   // the node that was asked last
	attempt   int        // to find a parent: the number of the present one; it outlives a crash
	target    sim.Addr   // the node that was probed last
	probing   bool       // the answer of target is awaited
}

// Parent, Children and HasChild make it a member of a tree.
func (n *node) Parent() sim.Addr             { return n.parent }
func (n *node) Children() iter.Seq[sim.Addr] { return slices.Values(n.kids) }
func (n *node) HasChild(a sim.Addr) bool     { return has(n.kids, a) }

var handlers = sim.Handle(
	sim.OnInit((*node).start),
	sim.OnSignal((*node).joinOverlay), sim.OnSignal((*node).leaves), sim.OnSignal((*node).returns),
	sim.OnSignal((*node).retry), sim.OnSignal((*node).recover), sim.OnSignal((*node).broken),
	sim.OnMessage((*node).join), sim.OnMessage((*node).reply), sim.OnMessage((*node).removed),
	sim.OnMessage((*node).rejoined), sim.OnMessage((*node).newRoot), sim.OnMessage((*node).update),
	sim.OnMessage((*node).probe), sim.OnMessage((*node).probed), sim.OnMessage((*node).probeJoin),
)

func (n *node) start(env sim.Env) { n.root = env.Self() }

func (n *node) joinOverlay(env sim.Env, s joinOverlay) {
	n.enter(env, s.peers)
	if s.visit {
		env.After(visitFor, leaveTimer{})
	}
}

func (n *node) leaves(env sim.Env, _ leaveTimer) {
	n.leave(env)
	env.After(awayFor, returnTimer{})
}

func (n *node) returns(env sim.Env, _ returnTimer) { n.enter(env, nil) }

func (n *node) broken(env sim.Env, e sim.PeerError) { n.lose(env, e.Peer) }

func (n *node) removed(env sim.Env, from sim.Addr, _ remove) {
	if n.state != joined && env.Bug(RT10) {
		return
	}
	n.dropKid(env, from)
}

func (n *node) rejoined(env sim.Env, from sim.Addr, _ rejoin) {
	if from == n.parent {
		n.decline(env, from)
		if from == n.parent { // else that broke the connection, and it is all done
			n.orphaned(env, RT9, false)
		}
	}
}

func (n *node) newRoot(env sim.Env, from sim.Addr, m newRoot) {
	if from == n.parent || env.Bug(RT4) {
		n.follow(env, m.root)
	}
}

func (n *node) update(_ sim.Env, from sim.Addr, m update) {
	if from == n.parent {
		n.siblings = m.siblings
	}
}

func (n *node) probed(_ sim.Env, from sim.Addr, _ probed) {
	if from == n.target {
		n.probing = false
	}
}
