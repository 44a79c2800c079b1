package byzantine

import (
	"fmt"
	"slices"

	"macemc/internal/handler"
	"macemc/sim"
)

// lie is a guarded action with which a Byzantine node sends a message that it made up.
type lie struct {
	To      sim.Addr
	By      string // the link by which it is sent
	Message sim.Message
}

// lying holds what a Byzantine node remembers in order to lie. It is empty once the node may send no more
// lies.
type lying struct {
	left  int                   // how many lies it may still send; or sim.Unlimited
	links [sim.LinkBag + 1]bool // by link, whether the node has sent a message by it
	seen  []seen                // the messages that it knows, in the order of their texts, each once
	lies  []lie                 // the lies that can be made of these messages, in the order of their texts
}

// seen is a message that a Byzantine node received, or sent itself, with its sender.
type seen struct {
	From    sim.Addr
	Message sim.Message
}

func (l lying) clone() lying {
	l.seen, l.lies = slices.Clone(l.seen), slices.Clone(l.lies)
	return l
}

// put adds v to a list that is ordered by the values' texts, unless the list has v. It reports whether v
// is new.
func put[T any](env sim.Env, all *[]T, v T) bool {
	text := func(v T) string { return env.(*handler.Env).Text(v) }
	at, is := slices.BinarySearchFunc(*all, text(v), func(one T, t string) int {
		switch s := text(one); {
		case s < t:
			return -1
		case s > t:
			return 1
		}
		return 0
	})
	if !is {
		*all = slices.Insert(*all, at, v)
	}
	return !is
}

// note remembers a message that the node received, or sent by a link; by is 0 if it was received. more
// reports whether the node may be able to make up more messages now.
func (l *lying) note(env sim.Env, from sim.Addr, by sim.Link, m sim.Message) (more bool) {
	if l.left == 0 {
		return false
	}
	more = by != 0 && !l.links[by]
	if by != 0 {
		l.links[by] = true
	}
	return put(env, &l.seen, seen{from, m}) || more
}

// make replaces the list of possible lies by those that forge makes: forge calls the function that it gets
// once for each lie.
func (l *lying) make(forge func(lie func(sim.Addr, sim.Link, sim.Message)), env sim.Env) {
	l.lies = nil
	forge(func(to sim.Addr, by sim.Link, m sim.Message) { put(env, &l.lies, lie{to, by.String(), m}) })
}

// spend counts a lie that was sent. If no more are allowed, it clears what the node remembers.
func (l *lying) spend() {
	switch {
	case l.left == 1:
		*l = lying{}
	case l.left > 0:
		l.left--
	}
}

// heard records a message that the node sent by a link, or received, and the lies that have become
// possible. by is 0 if the message was received.
func (n *node) heard(env sim.Env, from sim.Addr, by sim.Link, m sim.Message) {
	if n.note(env, from, by, m) {
		n.make(func(lie func(sim.Addr, sim.Link, sim.Message)) { n.forge(env, lie) }, env)
	}
}

// forge calls lie for each message that the node can make up: those of System.Forge, or, without it, each
// message that the node has seen, to every other node.
func (n *node) forge(env sim.Env, lie func(sim.Addr, sim.Link, sim.Message)) {
	add := func(to sim.Addr, by sim.Link, m sim.Message) {
		if m == nil || to == env.Self() || !slices.Contains(env.Peers(), to) || by < sim.LinkTCP || by > sim.LinkBag {
			panic(fmt.Sprintf("macemc: system %s: Forge at %s sends %v to %s by %s; a lie is a message to another node by a link", n.by.sys.Name, env.Self(), m, to, by))
		}
		lie(to, by, m)
	}
	if forge := n.by.sys.Forge; forge != nil {
		forge(n.by.params, env.Self(), n.all, add)
		return
	}
	for _, m := range n.all {
		for _, to := range env.Peers() {
			n.replay(to, m, add)
		}
	}
}

// all yields the messages that the node has seen, with their senders.
func (n *node) all(yield func(sim.Addr, sim.Message) bool) {
	for _, one := range n.seen {
		if !yield(one.From, one.Message) {
			return
		}
	}
}

// replay calls lie with a message that the node has seen, for each link by which the node has sent before.
func (n *node) replay(to sim.Addr, m sim.Message, lie func(sim.Addr, sim.Link, sim.Message)) {
	for by, used := range n.links {
		if used {
			lie(to, sim.Link(by), m)
		}
	}
}

func (n *node) offerLies(offer func(sim.Signal)) {
	for _, l := range n.lies {
		offer(l)
	}
}

// tell sends the lie l, and counts it.
func (n *node) tell(env sim.Env, l lie) {
	n.spend()
	for _, p := range []struct {
		by   sim.Link
		port sim.Port
	}{{sim.LinkTCP, env.TCP()}, {sim.LinkUDP, env.UDP()}, {sim.LinkSet, env.Set()}, {sim.LinkBag, env.Bag()}} {
		if p.by.String() == l.By {
			p.port.Send(l.To, l.Message)
		}
	}
}
