package overcast

import (
	"macemc/sim"
	"macemc/systems/tree"
)

// lookAround begins to measure one of the nodes in m that may become the parent, if there is any. It
// first asks that node to lock itself, so that the node does not move during the measurement.
func (n *node) lookAround(env sim.Env, m tree.Reorg) {
	places := m.Around(n, env.Self())
	if len(places) == 0 || n.moving() || !n.lockedBy.IsZero() {
		return
	}
	n.target = places[env.Choose(len(places), "whom to measure")]
	n.tell(env, n.target, lock{n.papa})
}

// grant locks this node for node who, if the lock message m names the right place: this node must be a brother
// of who, or its grandparent.
func (n *node) grant(env sim.Env, who sim.Addr, m lock) {
	near := m.papa == n.papa && m.papa != env.Self() || n.kids[m.papa]
	if !n.joined() || n.moving() || !n.lockedBy.IsZero() || !near {
		n.turnAway(env, who)
		return
	}
	n.lockedBy = who
	if !env.Bug(OV1) {
		env.After(lockLasts, lockTimer{})
	}
	n.tell(env, who, locked{})
}

// release ends the lock.
func (n *node) release(env sim.Env) {
	n.lockedBy = sim.Addr{}
	env.Cancel(lockTimer{})
	n.waitToJoin(env)
}

// measure sends the burst of probes to node from, which is locked now.
func (n *node) measure(env sim.Env, from sim.Addr) {
	if n.target != from { // it was given up
		n.unlock(env, from)
		return
	}
	n.left = burst
	n.pump(env, from)
}

// pump sends the rest of the burst to the node that is measured, as far as the buffer has room.
func (n *node) pump(env sim.Env, to sim.Addr) {
	for ; n.left > 0 && n.target == to; n.left-- {
		if !env.TCP().Send(to, probe{last: n.left == 1}) {
			env.TCP().RequestToSend(to)
			return
		}
	}
}

// answerProbe answers node from when its burst of probes is complete. It turns from away if this node is
// not locked for it.
func (n *node) answerProbe(env sim.Env, from sim.Addr, m probe) {
	switch {
	case !m.last:
	case n.lockedBy == from:
		n.tell(env, from, probed{})
	default:
		n.turnAway(env, from)
	}
}

// turnAway answers node who, for which this node is not locked.
func (n *node) turnAway(env sim.Env, who sim.Addr) {
	if env.Bug(OV2) {
		n.tell(env, who, refused{})
		return
	}
	n.tell(env, who, busy{})
}

// decide decides at random whether to move below node from, whose measurement has ended.
func (n *node) decide(env sim.Env, from sim.Addr) {
	if n.target != from {
		return
	}
	n.done()
	if env.Weighted(tree.StayOrMove, "stay or move") == 0 {
		n.unlock(env, from)
		return
	}
	n.ask(env, from, sim.Addr{})
}

// giveUp ends a measurement without moving.
func (n *node) giveUp(env sim.Env) {
	if to := n.target; !to.IsZero() {
		n.done()
		n.unlock(env, to)
	}
}

// done ends the measurement that this node makes of another one.
func (n *node) done() { n.target, n.left = sim.Addr{}, 0 }

// unlock informs node who, which is locked for this node, that it may move again.
func (n *node) unlock(env sim.Env, who sim.Addr) {
	if !env.TCP().Send(who, unlock{}) && !env.Bug(OV1) {
		n.hangUp(env, who)
	}
}
