package pastry

import "macemc/sim"

// inform handles the message by which node from says that it is a member.
func (n *node) inform(env sim.Env, from sim.Addr) {
	if n.state != initial {
		n.meet(env, from)
	}
}

// informRequest answers a node that has heard of this one and asks whether it is a member.
func (n *node) informRequest(env sim.Env, from sim.Addr) {
	if n.member(env, from) {
		env.TCP().Send(from, inform{})
	}
}

func (n *node) leafSetRequest(env sim.Env, from sim.Addr) {
	if n.member(env, from) {
		n.meet(env, from)
		env.TCP().Send(from, leafSetInfo{n.leaves()})
	}
}

func (n *node) rowRequest(env sim.Env, from sim.Addr, m rowRequest) {
	if n.member(env, from) {
		n.meet(env, from)
		env.TCP().Send(from, rowInfo{m.row, n.inRow(m.row)})
	}
}

// member reports whether the node is a member. If it is not, it declines the request of node from,
// which takes it for a member.
func (n *node) member(env sim.Env, from sim.Addr) bool {
	if n.state == joined {
		return true
	}
	n.decline(env, from)
	return false
}

// decline informs node from, which takes this node for a member, that it is not a member yet. The
// package's comment explains why.
func (n *node) decline(env sim.Env, from sim.Addr) {
	if !env.Bug(PA7) {
		env.TCP().Send(from, remove{})
	}
}

// askLeaf asks the next leaf for its own leaves. The request also proves that this node is there,
// so that a leaf that has forgotten the node adds it again.
func (n *node) askLeaf(env sim.Env) {
	env.After(leafEvery, leafTimer{})
	if all := n.leaves(); len(all) > 0 {
		n.leafAsked = after(all, n.leafAsked)
		env.TCP().Send(n.leafAsked, leafSetRequest{})
	}
}

// askCandidate sends a probe to the next candidate. A probe needs no connection, and a node that
// is not a member does not answer it.
func (n *node) askCandidate(env sim.Env) {
	env.After(tableEvery, tableTimer{})
	if len(n.table) == 0 {
		return
	}
	next := n.table[0].addr
	for _, c := range n.table {
		if n.probedLast.Less(c.addr) {
			next = c.addr
			break
		}
	}
	n.probedLast = next
	env.UDP().Send(next, probe{})
}

func (n *node) probe(env sim.Env, from sim.Addr) {
	if n.state == joined || env.Bug(PA7) {
		env.UDP().Send(from, probed{})
	}
}

// probed handles the answer of a candidate that is a member. It asks the candidate for the row of
// the routing table that both nodes share.
func (n *node) probed(env sim.Env, from sim.Addr) {
	if n.state == joined {
		n.note(from, true)
		env.TCP().Send(from, rowRequest{n.row(from)})
	}
}

// recover looks for a ring from which this one was cut off. It sends a join that needs no rows to
// a peer. The join reaches the node of the peer's ring that is closest to this node, and that node
// answers with its leaves. If nothing was cut off, it is a neighbour.
func (n *node) recover(env sim.Env) {
	env.After(recoveryEvery, recoveryTimer{})
	if !env.Bug(PA2) {
		env.TCP().Send(n.nextPeer(), join{n.self, n.keys.rows()})
	}
}
