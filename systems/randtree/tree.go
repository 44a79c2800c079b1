package randtree

import (
	"fmt"

	"macemc/sim"
)

// setRoot records the root of the tree, and informs the children of it.
func (n *node) setRoot(env sim.Env, root sim.Addr) {
	if n.root == root {
		return
	}
	n.root = root
	n.tell(env, newRoot{root}, sim.Addr{})
	n.refresh(env, sim.Addr{})
}

// refresh sends each child of a root the list of all children. The child with the address knows has this
// list already, and gets no message.
func (n *node) refresh(env sim.Env, knows sim.Addr) {
	if n.root == env.Self() {
		n.tell(env, update{n.kids}, knows)
	}
}

// tell sends message m to all children except the one called omitted. It gives up a child to which m cannot be
// sent, since that child would never learn of it.
func (n *node) tell(env sim.Env, m sim.Message, omitted sim.Addr) {
	var deaf []sim.Addr
	for _, kid := range n.kids {
		if kid != omitted && !env.TCP().Send(kid, m) && !env.Bug(RT26) {
			deaf = append(deaf, kid)
		}
	}
	for _, kid := range deaf {
		n.cut(env, kid)
	}
}

// cut breaks the connection to a peer, so that the peer gets an error, and then acts as if it had
// got the same error.
func (n *node) cut(env sim.Env, peer sim.Addr) {
	env.TCP().Reset(peer)
	n.lose(env, peer)
}

// follow handles the news of the parent that the tree has another root.
func (n *node) follow(env sim.Env, root sim.Addr) {
	if root == env.Self() {
		panic(fmt.Sprintf("randtree: %v says that this node is its root", n.parent))
	}
	if root != n.parent {
		n.siblings = nil
	}
	n.setRoot(env, root)
}

// dropKid forgets node kid if that is a child.
func (n *node) dropKid(env sim.Env, kid sim.Addr) {
	if has(n.kids, kid) {
		n.kids = without(n.kids, kid)
		n.refresh(env, sim.Addr{})
	}
}

// lose forgets a peer to which the connection has broken.
func (n *node) lose(env sim.Env, peer sim.Addr) {
	if peer == n.target {
		n.probing = false
	}
	n.dropKid(env, peer)
	switch {
	case peer != n.parent:
	case peer == n.root:
		n.orphaned(env, RT7, env.Bug(RT15) || env.Bug(RT16))
	default:
		n.orphaned(env, RT8, env.Bug(RT15) || env.Bug(RT17))
	}
}

// orphaned looks for another place for the node, with all its children: under the root, or, if the
// lost parent was the root, under the lowest of the root's children. With the known bug unlisted, the
// node that it asks does not become a peer. If keepRoot is set, root stays as it is.
func (n *node) orphaned(env sim.Env, unlisted sim.BugID, keepRoot bool) {
	next := n.root
	if n.root == n.parent {
		siblings := n.siblings
		if !env.Bug(RT20) {
			siblings = with(siblings, env.Self()) // it may not have heard of any yet
		}
		next = siblings[0]
	}
	if next == env.Self() || has(n.kids, next) {
		n.reign(env)
		return
	}
	n.goUnder(env, next, unlisted)
	if !keepRoot {
		n.setRoot(env, env.Self())
	}
}

// recover looks for other trees: it probes the next peer, whether that is in this tree or not. Only
// one probe is under way at a time, since more would fill the buffer.
func (n *node) recover(env sim.Env, _ recoveryTimer) {
	if n.state == joined || !env.Bug(RT3) {
		env.After(recoveryEvery, recoveryTimer{})
	}
	if n.state != joined || n.probing {
		return
	}
	next := n.target
	for range n.peers {
		next = after(n.peers, next)
		if next != n.parent && next != n.root && !has(n.kids, next) {
			n.target, n.probing = next, env.TCP().Send(next, probe{n.root})
			return
		}
	}
}

// probe compares the root of the sender's tree with that of this one. The tree with the higher root
// joins the other.
func (n *node) probe(env sim.Env, from sim.Addr, m probe) {
	if !env.TCP().Send(from, probed{}) && !env.Bug(RT27) {
		n.cut(env, from) // or it would wait for ever
	}
	switch {
	case n.state == initial && !env.Bug(RT11): // the recovery timer is not set yet
	case n.root.Less(m.root):
		if m.root != env.Self() { // else from will hear that the root has changed
			env.TCP().Send(m.root, probeJoin{n.root})
		}
	case m.root.Less(n.root):
		if n.root == env.Self() {
			n.merge(env, m.root, RT5)
		} else {
			env.TCP().Send(n.root, probeJoin(m))
		}
	}
}

// probeJoin handles the news that another tree has a lower root.
func (n *node) probeJoin(env sim.Env, _ sim.Addr, m probeJoin) {
	if n.state == initial && !env.Bug(RT14) {
		return // the recovery timer is not set yet
	}
	if n.root == env.Self() && m.root.Less(n.root) {
		n.merge(env, m.root, RT6)
	}
}

// merge makes this node, which is a root, join a lower root. It does nothing if that root is listed as
// a child: then one of the two has yet to learn that it is no longer one. With the known bug
// unlisted, the lower root does not become a peer.
func (n *node) merge(env sim.Env, root sim.Addr, unlisted sim.BugID) {
	if !has(n.kids, root) {
		n.goUnder(env, root, unlisted)
	}
}
