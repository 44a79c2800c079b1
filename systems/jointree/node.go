package jointree

import (
	"fmt"
	"time"

	"macemc/sim"
)

// The messages.
type (
	join     struct{ who sim.Addr } // the node that looks for a parent
	accept   struct{}               // you are my child
	redirect struct{ to sim.Addr }  // no room: ask this one
	leave    struct{}               // we are not, or no longer, parent and child
	probe    struct{}               // are you there?
	alive    struct{}               // yes, and we are still neighbours
)

// The timers.
type (
	joinTimer    struct{}
	recoverTimer struct{}
)

const (
	joinEvery    = time.Second
	recoverEvery = 5 * time.Second
)

// most is the largest number of children of a node. With four nodes, three of them ask the root, so
// it has to redirect one.
const most = 2

// node is one node of the tree.
type node struct {
	root    sim.Addr
	friend  sim.Addr // the other node that it may ask to join
	papa    sim.Addr // the parent; the node itself at the root; zero if it has not joined
	kids    map[sim.Addr]bool
	silent  map[sim.Addr]bool // neighbours that were probed and have not answered
	ballast *ballast          // nil if there is none
}

func (n *node) Init(env sim.Env) {
	if env.Self() == n.root {
		n.papa = n.root
		env.After(recoverEvery, recoverTimer{})
		return
	}
	env.After(joinEvery, joinTimer{})
}

func (n *node) Handle(env sim.Env, s sim.Signal) {
	switch s.(type) {
	case joinTimer:
		whom := n.root
		if env.Choose(2, "ask the root or the friend") == 1 {
			whom = n.friend
		}
		env.TCP().Send(whom, join{env.Self()})
		env.After(joinEvery, joinTimer{})
	case recoverTimer:
		env.After(recoverEvery, recoverTimer{})
		n.recover(env)
	default:
		panic(fmt.Sprintf("jointree: no case for the signal %T", s))
	}
}

func (n *node) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case join:
		n.join(env, m.who)
	case accept:
		switch {
		case n.papa.IsZero():
			n.follow(env, from)
		case n.papa != from:
			env.TCP().Send(from, leave{})
		}
	case redirect:
		if n.papa.IsZero() {
			env.TCP().Send(m.to, join{env.Self()})
		}
	case leave:
		n.forget(env, from)
	case probe:
		if n.kids[from] || n.papa == from {
			env.TCP().Send(from, alive{})
		} else {
			env.TCP().Send(from, leave{})
		}
	case alive:
		delete(n.silent, from)
	default:
		panic(fmt.Sprintf("jointree: no case for the message %T", m))
	}
}

// join takes the joiner as a child, or redirects it.
func (n *node) join(env sim.Env, who sim.Addr) {
	switch {
	case n.papa.IsZero():
		if env.Tracing() {
			env.Logf("%v asks, but this node has no parent itself", who)
		}
		env.TCP().Send(who, redirect{n.root})
	case n.kids[who]:
		env.TCP().Send(who, accept{})
	case len(n.kids) < most && n.papa != who:
		n.kids[who] = true
		n.ballast.note(n, who)
		env.TCP().Send(who, accept{})
	case len(n.kids) > 0:
		env.TCP().Send(who, redirect{n.kid(env, env.Choose(len(n.kids), "redirect to"))})
	}
}

// kid returns the k-th child of the node, in the order of addresses.
func (n *node) kid(env sim.Env, k int) sim.Addr {
	for _, a := range env.Peers() {
		if n.kids[a] {
			if k == 0 {
				return a
			}
			k--
		}
	}
	panic("jointree: a child that is no peer, although a join comes from a peer")
}

// recover gives up the neighbours that have not answered, and probes the others.
func (n *node) recover(env sim.Env) {
	for _, a := range env.Peers() {
		switch {
		case n.silent[a]:
			env.TCP().Send(a, leave{})
			n.forget(env, a)
		case n.kids[a] || n.papa == a:
			n.silent[a] = true
			env.TCP().Send(a, probe{})
		}
	}
}

// follow makes node a the parent.
func (n *node) follow(env sim.Env, a sim.Addr) {
	n.papa = a
	n.ballast.note(n, a)
	env.Cancel(joinTimer{})
	env.After(recoverEvery, recoverTimer{})
}

// forget removes node a from the parents and children.
func (n *node) forget(env sim.Env, a sim.Addr) {
	delete(n.kids, a)
	delete(n.silent, a)
	if n.papa == a {
		n.papa = sim.Addr{}
		env.Cancel(recoverTimer{})
		env.After(joinEvery, joinTimer{})
	}
	n.ballast.note(n, a)
}
