package brokentree

import "macemc/sim"

// route sends join m one hop further, unless m ends at this node. At the source of m, next is the node that was
// asked; at a node that m has reached, next is this node. At every node, route first calls forward, which returns
// the node to which m goes from here.
func (n *node) route(env sim.Env, next sim.Addr, m join) {
	if next = n.forward(env, next, m); !next.IsZero() {
		env.TCP().Send(next, m)
	}
}

// forward handles join m, which passes through this node on its way to next. It returns the node
// to which m goes: next, another node, or none if m ends at this node.
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
