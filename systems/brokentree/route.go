package brokentree

import "macemc/sim"

// route takes a join one hop further: from its source towards the node that was asked, or at a node
// that it has reached (then next is the node itself). The forward handler comes first at every
// node.
func (n *node) route(env sim.Env, next sim.Addr, m join) {
	if next = n.forward(env, next, m); !next.IsZero() {
		env.TCP().Send(next, m)
	}
}

// forward handles a join that passes through the node. It returns where the join goes: to next, to
// another node, or to none, if the join was consumed.
func (n *node) forward(env sim.Env, next sim.Addr, m join) sim.Addr {
	switch {
	case m.who == env.Self() && !env.Bug(BT1):
		return next // one's own, on its way out
	case n.kids[m.who], m.who == n.papa:
		env.TCP().Send(m.who, refused{}) // it is below this node already, or above
		return sim.Addr{}
	case len(n.kids) < n.most:
		n.kids[m.who] = true
		env.TCP().Send(m.who, joinReply{})
		return sim.Addr{}
	default:
		kids := sim.Addrs(n.kids)
		return kids[env.Choose(len(kids), "send the join on to")]
	}
}
