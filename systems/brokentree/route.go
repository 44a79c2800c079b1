package brokentree

import "macemc/sim"

// route takes a join one hop further: from its source towards whom it asks, or
// at a node that it has reached (next is self). The forward handler comes
// first, everywhere.
func (n *node) route(env sim.Env, next sim.Addr, m join) {
	if next = n.forward(env, next, m); !next.IsZero() {
		env.TCP().Send(next, m)
	}
}

// forward looks at a join that passes, and says where it goes: on to next, to
// another node, or to nobody, when it was consumed.
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
