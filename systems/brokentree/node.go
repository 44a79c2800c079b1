package brokentree

import (
	"iter"
	"maps"
	"time"

	"macemc/sim"
	"macemc/systems/tree"
)

// The messages of nodes.
type (
	join      struct{ who sim.Addr } // who is the node that asks to become a child
	joinReply struct{}               // the sender took you as a child
	refused   struct{}               // the sender did not take you as a child
	remove    struct{}               // the sender is no longer your child
)

// The requests to a node, and its timers.
type (
	joinOverlay struct{} // the application's request
	reorgTimer  struct{} // at the root: reorganise; at a node without a parent: join again
)

const (
	reorgEvery = 5 * time.Second
	joinAgain  = 100 * time.Millisecond
)

// node is one node of the tree.
//
// In fault-free runs, two invariants hold. A parent lists a node among its children from before the
// node knows it until the node's remove has arrived. And asked is set exactly while one join of the
// node, or the one answer to it, is under way.
type node struct {
	root     sim.Addr
	most     int // the largest number of children
	everyone int // the number of nodes

	papa  sim.Addr // the parent; the node itself if it is a root; zero if it has not joined
	asked sim.Addr // the node to which the unanswered join was sent; zero if there is none
	kids  map[sim.Addr]bool
	heard map[sim.Addr]bool // at the root: the nodes that have ever asked to join
}

// Parent, Children and HasChild implement tree.Member.
func (n *node) Parent() sim.Addr             { return n.papa }
func (n *node) Children() iter.Seq[sim.Addr] { return maps.Keys(n.kids) }
func (n *node) HasChild(a sim.Addr) bool     { return n.kids[a] }

func (n *node) joined() bool { return !n.papa.IsZero() }

var handlers = sim.Handle(
	sim.OnSignal((*node).enter), sim.OnSignal((*node).reorganise), sim.OnSignal((*node).lose),
	sim.OnMessage((*node).join), sim.OnMessage((*node).accepted), sim.OnMessage((*node).refused),
	sim.OnMessage((*node).remove), sim.OnMessage((*node).reorg),
)

func (n *node) enter(env sim.Env, _ joinOverlay) {
	if env.Self() == n.root {
		n.papa = n.root
		n.hear(env, n.root)
		return
	}
	n.ask(env, n.root)
}

func (n *node) reorganise(env sim.Env, _ reorgTimer) {
	switch {
	case env.Self() == n.root:
		tree.Reorganise(env, n)
		env.After(reorgEvery, reorgTimer{})
	case !n.joined() && n.asked.IsZero():
		n.ask(env, n.root)
	}
}

func (n *node) join(env sim.Env, _ sim.Addr, m join) {
	n.hear(env, m.who)
	// A node that may itself move in a moment must not carry others along:
	// they might be those that it moves below.
	if !n.joined() || !n.asked.IsZero() && !env.Bug(BT2) {
		env.TCP().Send(m.who, refused{})
		return
	}
	n.route(env, env.Self(), m)
}

func (n *node) accepted(env sim.Env, from sim.Addr, _ joinReply) {
	if n.joined() && n.papa != from {
		env.TCP().Send(n.papa, remove{})
	}
	n.papa, n.asked = from, sim.Addr{}
	env.Cancel(reorgTimer{})
}

func (n *node) refused(env sim.Env, _ sim.Addr, _ refused) {
	n.asked = sim.Addr{}
	n.waitToJoin(env)
}

func (n *node) remove(_ sim.Env, from sim.Addr, _ remove) { delete(n.kids, from) }

func (n *node) reorg(env sim.Env, from sim.Addr, m tree.Reorg) {
	if from == n.papa { // else it is from before a move
		tree.Reorganise(env, n)
		n.considerMoving(env, m)
	}
}

// hear records at the root that node who has asked to join. When all nodes have, the tree begins to
// reorganise.
func (n *node) hear(env sim.Env, who sim.Addr) {
	if env.Self() != n.root || n.heard[who] {
		return
	}
	n.heard[who] = true
	if len(n.heard) == n.everyone {
		env.After(reorgEvery, reorgTimer{})
	}
}

// ask sends a join to node whom, which should be the new parent.
func (n *node) ask(env sim.Env, whom sim.Addr) {
	n.asked = whom
	n.route(env, whom, join{env.Self()})
}

// considerMoving decides at random whether to move, and asks one of the nodes in m to become the parent.
func (n *node) considerMoving(env sim.Env, m tree.Reorg) {
	if !n.asked.IsZero() {
		return
	}
	places := m.Around(n, env.Self())
	if len(places) == 0 || env.Weighted(tree.StayOrMove, "stay or move") == 0 {
		return
	}
	n.ask(env, places[env.Choose(len(places), "new parent")])
}

// waitToJoin sets the timer if the node has no parent and waits for no answer.
func (n *node) waitToJoin(env sim.Env) {
	if !n.joined() && n.asked.IsZero() {
		env.After(joinAgain, reorgTimer{})
	}
}

// lose forgets the peer whose connection has broken.
func (n *node) lose(env sim.Env, e sim.PeerError) {
	peer := e.Peer
	delete(n.kids, peer)
	if n.papa == peer {
		n.papa = sim.Addr{}
	}
	if n.asked == peer {
		n.asked = sim.Addr{}
	}
	n.waitToJoin(env)
}
