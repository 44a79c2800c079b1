package pastry

import (
	"math/bits"
	"slices"

	"macemc/sim"
)

// enter handles the application's request to join the overlay by one of these peers.
func (n *node) enter(env sim.Env, peers []sim.Addr) {
	n.peers = peers
	if len(n.peers) == 0 {
		n.become(env)
		return
	}
	n.state = joining
	n.ask(env)
}

// ask sends a join to the next peer. If the join is refused, lost or not answered, the join timer
// makes the node ask again.
func (n *node) ask(env sim.Env) {
	env.TCP().Send(n.nextPeer(), join{n.self, bits.TrailingZeros64(^n.rows)})
	env.After(joinEvery, joinTimer{})
}

func (n *node) nextPeer() sim.Addr {
	at := slices.Index(n.peers, n.asked) + 1
	n.asked = n.peers[at%len(n.peers)]
	return n.asked
}

// join handles join m, which comes from the joiner itself, m.source, or was sent on by another
// node.
func (n *node) join(env sim.Env, from sim.Addr, m join) {
	switch {
	case n.state == joined:
		n.serve(env, m)
	case from == m.source || env.Bug(PA6):
		n.undefer(m.source)
		n.deferred = append(n.deferred, m)
	case !env.Bug(PA4) && !env.Bug(PA5):
		n.decline(env, from)
	}
}

// undefer removes the joins of node a from those that are deferred until this node is a member.
func (n *node) undefer(a sim.Addr) {
	n.deferred = slices.DeleteFunc(n.deferred, func(m join) bool { return m.source == a })
	if len(n.deferred) == 0 {
		n.deferred = nil
	}
}

// serve sends the joiner m.source a part of this node's routing table, as far as the buffer has
// room, and sends join m on to a node that is closer to the joiner's key. The part consists of the
// rows for as many digits as both keys have in common, and the next row. The last node on the way
// sends all rows that are left, and its leaf set.
func (n *node) serve(env sim.Env, m join) {
	k, but := n.keys.of(m.source), m.source
	if m.row < n.keys.rows() && env.Bug(PA4) {
		but = sim.Addr{} // but for a recovery
	}
	next := n.next(k, but, env.Bug(PA7))
	last := next == n.self
	if last && !env.TCP().Send(m.source, leafSetInfo{n.leaves()}) {
		return // it will ask again
	}
	row, end := m.row, min(n.key().shared(k)+1, n.keys.rows())
	if last {
		end = n.keys.rows()
	}
	for row < end && env.TCP().Send(m.source, rowInfo{row, n.inRow(row)}) {
		row++
	}
	if last {
		return
	}
	if env.Bug(PA1) {
		row = 1
	}
	env.TCP().Send(next, join{m.source, row})
}

// rowInfo handles a row of another member's routing table. A joiner adopts the row as it is. A
// member only probes those nodes in it that are not in its own table.
func (n *node) rowInfo(env sim.Env, from sim.Addr, m rowInfo) {
	if n.state == initial {
		return
	}
	n.meet(env, from)
	if n.state == joined {
		for _, a := range m.nodes {
			if !n.knows(a) {
				env.UDP().Send(a, probe{})
			}
		}
		return
	}
	n.learn(env, m.nodes)
	n.rows |= 1 << m.row
	n.complete(env)
}

// leafSetInfo handles a member's leaf set.
func (n *node) leafSetInfo(env sim.Env, from sim.Addr, m leafSetInfo) {
	if n.state == initial {
		return
	}
	n.meet(env, from)
	n.learn(env, m.leaves)
	if n.state == joining {
		n.leafSet = true
		n.complete(env)
	}
}

// complete makes the node a member if all rows and a leaf set have arrived.
func (n *node) complete(env sim.Env) {
	if n.leafSet && n.rows == 1<<n.keys.rows()-1 {
		env.Cancel(joinTimer{})
		n.become(env)
	}
}

// become makes the node a member. It informs the nodes that it knows, the leaves first, and the
// others together with the row that it shares with them. Then it serves the joins that it has
// deferred.
func (n *node) become(env sim.Env) {
	n.state, n.rows, n.leafSet = joined, 0, false
	env.After(leafEvery, leafTimer{})
	env.After(tableEvery, tableTimer{})
	if len(n.peers) > 0 {
		env.After(recoveryEvery, recoveryTimer{})
	}
	for _, a := range n.leaves() {
		env.TCP().Send(a, inform{})
	}
	for _, c := range n.table {
		if !n.leaf(c.addr) {
			env.TCP().Send(c.addr, rowInfo{n.row(c.addr), n.inRow(n.row(c.addr))})
		}
	}
	for _, m := range n.deferred {
		n.serve(env, m)
	}
	n.deferred = nil
}
