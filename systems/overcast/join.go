package overcast

import "macemc/sim"

// ask asks node whom to become the parent. via is the node that has sent this
// one there.
func (n *node) ask(env sim.Env, whom, via sim.Addr) {
	n.asked = whom
	n.tell(env, whom, join{via})
}

// answer handles join m of node who: it takes who as a child, redirects it to a
// child, or refuses it.
func (n *node) answer(env sim.Env, who sim.Addr, m join) {
	room, holder := n.kids[who] || len(n.kids) < n.most, who == n.lockedBy
	switch {
	case !n.joined() || n.moving():
		n.tell(env, who, refused{})
	case env.Self() != n.root && !holder && m.via != n.papa:
		n.tell(env, who, refused{})
	case room:
		n.take(env, who)
	case holder:
		n.tell(env, who, refused{})
	default:
		kids := sim.Addrs(n.kids)
		n.tell(env, who, redirect{kids[env.Choose(len(kids), "send the joiner on to")]})
	}
	if holder {
		n.release(env)
	}
}

// take makes node who a child.
func (n *node) take(env sim.Env, who sim.Addr) {
	n.kids[who] = true
	n.tell(env, who, joinReply{})
}

// follow makes node from the parent, which has taken this node as a child.
func (n *node) follow(env sim.Env, from sim.Addr) {
	if n.asked != from {
		n.tell(env, from, remove{}) // it was not asked, or not lately
		return
	}
	old := n.papa
	n.papa, n.asked = from, sim.Addr{}
	env.Cancel(joinTimer{})
	if !old.IsZero() {
		n.tell(env, old, remove{})
	}
}

// redirected handles the message of node from that redirects this node to another one: it asks
// node to instead.
func (n *node) redirected(env sim.Env, from, to sim.Addr) {
	switch {
	case n.asked != from:
	case n.joined() || to == env.Self():
		n.turnedDown(env, from)
	default:
		n.ask(env, to, from)
	}
}

// turnedDown handles the refusal of a join, which ends an attempt to join or to
// move.
func (n *node) turnedDown(env sim.Env, from sim.Addr) {
	if n.asked == from || n.target == from {
		n.asked = sim.Addr{}
		n.done()
		n.waitToJoin(env)
	}
}
