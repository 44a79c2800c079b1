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
		via     sim.Addr // the root that passed it on to its children; zero if it is on its way to a root
	}
	joinReply struct {
		status   status
		attempt  int // the attempt of the join that was accepted
		root     sim.Addr
		siblings []sim.Addr // for a child of the root: the root's children
	}
	remove  struct{}                // I am not your child
	rejoin  struct{}                // do not be my child any more
	newRoot struct{ root sim.Addr } // to children: the tree has another root
	update  struct{ siblings []sim.Addr }
	probe   struct{ root sim.Addr } // whose tree are you in? I am in that of root
	probed  struct{}                // I have compared the roots
	// probeJoin tells a root of another tree whose root is lower.
	probeJoin struct{ root sim.Addr }
)

// status is the answer to a join.
type status string

const (
	accepted  status = "accepted"   // you are my child
	forceRoot status = "force root" // you are lower than I am: be a root, and I shall join you
	loopError status = "loop error" // I am in your tree: you are its root
)

// The requests of the application, and the timers.
type (
	joinOverlay struct {
		peers []sim.Addr
		visit bool // leave once, and come back later
	}
	joinTimer     struct{} // while joining: ask the next peer
	recoveryTimer struct{} // while the application wants the node in the overlay
	leaveTimer    struct{} // the visit is over
	returnTimer   struct{} // whether it leaves for good
)

const (
	joinEvery     = 5 * time.Second
	recoveryEvery = 10 * time.Second
	visitFor      = time.Minute
	awayFor       = time.Minute
)

// state is the progress of a node in joining the tree.
type state string

const (
	initial state = "init" // the application has not asked it to join
	joining state = "joining"
	joined  state = "joined"
)

// node is one node of the tree. Its slices are sorted, without duplicates, nil if empty, and never
// changed in place, so that messages may contain them.
//
//	initial: only peers are known; no timer is set
//	joining: root is the node itself, and parent is zero; some peer is not a child of this node
//	joined:  root and parent are the node itself, or parent is the node that accepted it
//
// Each child was last informed that root is the root and, if the node is a root, that kids are its siblings.
type node struct {
	most   int  // the largest number of children
	silent bool // RT2

	state     state
	root      sim.Addr
	parent    sim.Addr // the parent; the node itself if it is a root; zero if it has not joined
	kids      []sim.Addr
	siblings  []sim.Addr // while the parent is the root: the root's children, including this node
	peers     []sim.Addr // nodes that it may ask to join, and that it probes
	bootstrap sim.Addr   // the peer that was asked last
	attempt   int        // the number of the present attempt to find a parent; it survives a crash
	target    sim.Addr   // the peer that was probed last
	probing   bool       // target has not answered yet
}

// Parent, Children and HasChild implement tree.Member.
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
