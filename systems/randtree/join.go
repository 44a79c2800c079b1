package randtree

import (
	"fmt"

	"macemc/sim"
)

// enter begins to join the overlay, or learns of more peers.
func (n *node) enter(env sim.Env, peers []sim.Addr) {
	for _, a := range peers {
		if a != env.Self() {
			n.peers = with(n.peers, a)
		}
	}
	if n.state != initial {
		return // the recovery timer will probe them
	}
	env.After(recoveryEvery, recoveryTimer{})
	next := n.free(env.Bug(RT22))
	if next.IsZero() { // nobody, or children from before it left
		n.reign(env)
		return
	}
	n.state = joining
	n.ask(env, next)
}

// leave handles the request of an application to leave the overlay. The node forgets its place in
// the tree. Children stay listed until they have said that they are gone.
func (n *node) leave(env sim.Env) {
	parent := n.parent
	env.Cancel(joinTimer{})
	env.Cancel(recoveryTimer{})
	*n = node{most: n.most, silent: n.silent, state: initial, root: env.Self(), kids: n.kids, peers: n.peers, attempt: n.attempt}
	n.again()
	n.tell(env, rejoin{}, sim.Addr{})
	if env.Bug(RT21) {
		n.kids = nil
	}
	if !parent.IsZero() && parent != env.Self() {
		n.decline(env, parent)
	}
}

// reign makes the node a root, unless it is one.
func (n *node) reign(env sim.Env) {
	n.state, n.siblings = joined, nil
	if n.parent = env.Self(); n.silent {
		n.parent = sim.Addr{}
	}
	env.Cancel(joinTimer{})
	n.setRoot(env, env.Self())
}

// goUnder makes the node leave its place and ask target, which must not be its child, to become its parent.
// target also becomes a peer, so that there is always a peer to ask: see retry.
func (n *node) goUnder(env sim.Env, target sim.Addr, unlisted sim.BugID) {
	if n.state == joined {
		n.again()
	}
	n.state, n.parent, n.siblings = joining, sim.Addr{}, nil
	if !env.Bug(unlisted) {
		n.peers = with(n.peers, target)
	}
	n.ask(env, target)
}

// again begins another attempt to find a parent. Answers to earlier joins do not count then.
func (n *node) again() { n.attempt++ }

// ask sends a join. If it is refused or not answered, the timer repeats it.
func (n *node) ask(env sim.Env, target sim.Addr) {
	n.bootstrap = target
	env.TCP().Send(target, join{source: env.Self(), attempt: n.attempt})
	env.After(joinEvery, joinTimer{})
}

// retry asks the next peer that is not a child. There is one: the node that this one wanted
// to go under is a peer, and if it has become a child since then, this node has stopped
// joining.
func (n *node) retry(env sim.Env, _ joinTimer) {
	if !env.Bug(RT15) {
		n.setRoot(env, env.Self())
	}
	next := after(n.peers, n.bootstrap)
	for next == env.Self() || has(n.kids, next) {
		next = after(n.peers, next)
	}
	n.ask(env, next)
}

// free returns the first peer that is not a child, or the first peer if kids is set, or the zero address if there is none.
func (n *node) free(kids bool) sim.Addr {
	for _, a := range n.peers {
		if kids || !has(n.kids, a) {
			return a
		}
	}
	return sim.Addr{}
}

// join handles a join. It sends the join to the root of the tree, from where it goes
// down to a node that has room for another child.
func (n *node) join(env sim.Env, from sim.Addr, m join) {
	self := env.Self()
	switch {
	case n.state == initial, m.source == self:
		// Nobody asked this node to be in a tree, or its own join comes back.
		// The joiner's timer asks somebody else.
	case n.root != self && m.via == n.root && (from == n.parent || env.Bug(RT23)):
		n.admit(env, m)
	case n.root != self && m.source == n.root:
		env.TCP().Send(m.source, joinReply{status: loopError, root: n.root})
	case n.root != self:
		m.via = sim.Addr{}
		env.TCP().Send(n.root, m)
	case has(n.kids, m.source):
		n.known(env, m)
	case m.source.Less(self):
		env.TCP().Send(m.source, joinReply{status: forceRoot, root: m.source})
		n.goUnder(env, m.source, RT1)
	default:
		full := len(n.kids) == n.most
		n.admit(env, m)
		// A node that lets others in does not look for a parent any more: the parent
		// might be one of them.
		if n.state == joining && (!full || !env.Bug(RT24)) {
			n.reign(env)
		}
	}
}

// known handles a join of a node that is a child already. Either the join is late, or the child has
// lost its connection to this node. This node does not answer: it will learn of the lost connection
// later, and the child might take the answer for a valid one.
func (n *node) known(env sim.Env, m join) {
	if env.Bug(RT18) {
		env.TCP().Send(m.source, joinReply{status: accepted, attempt: m.attempt, root: n.root, siblings: n.shown(env, n.kids)})
	}
}

// admit takes source as a child, or passes its join on to a child.
func (n *node) admit(env sim.Env, m join) {
	source := m.source
	switch {
	case !n.root.Less(source):
		panic(fmt.Sprintf("randtree: %v is let into the tree of %v, which is not lower", source, n.root))
	case has(n.kids, source):
		n.known(env, m)
	case len(n.kids) == n.most:
		kid := n.kids[env.Choose(len(n.kids), "push the join down to")]
		m.via = n.root
		env.TCP().Send(kid, m)
	default:
		kids := with(n.kids, source)
		if !env.TCP().Send(source, joinReply{status: accepted, attempt: m.attempt, root: n.root, siblings: n.shown(env, kids)}) && !env.Bug(RT25) {
			return // it does not know, and its timer asks again
		}
		n.kids = kids
		n.refresh(env, source)
	}
}

// shown returns the children that are listed in a message to a child. Only a root lists any.
func (n *node) shown(env sim.Env, kids []sim.Addr) []sim.Addr {
	if n.root == env.Self() {
		return kids
	}
	return nil
}

// reply handles an answer to a join of this node, in the present attempt or an earlier one.
func (n *node) reply(env sim.Env, from sim.Addr, m joinReply) {
	switch m.status {
	case accepted:
		switch {
		case n.state == initial && env.Bug(RT13), from == n.parent:
		case n.state != joining, has(n.kids, from), m.attempt != n.attempt && !env.Bug(RT19):
			n.decline(env, from)
		default:
			n.state, n.parent, n.siblings = joined, from, m.siblings
			env.Cancel(joinTimer{})
			n.setRoot(env, m.root)
		}
	case loopError:
		if n.state == joining {
			n.reign(env)
		}
	case forceRoot:
		if n.state != joining {
			return
		}
		if n.root != m.root {
			panic(fmt.Sprintf("randtree: this node is to be the root %v, and believes that %v is", m.root, n.root))
		}
		n.reign(env)
	default:
		panic(fmt.Sprintf("randtree: no case for the status %q", m.status))
	}
}

// decline asks a node that lists this one as a child to forget it. The message must not be lost,
// since nothing repeats it.
func (n *node) decline(env sim.Env, parent sim.Addr) {
	if !env.TCP().Send(parent, remove{}) && !env.Bug(RT12) {
		n.cut(env, parent)
	}
}
