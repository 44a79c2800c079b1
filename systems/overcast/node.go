package overcast

import (
	"fmt"
	"iter"
	"maps"
	"time"

	"macemc/sim"
	"macemc/systems/tree"
)

// The messages by which nodes find a parent.
type (
	join      struct{ via sim.Addr } // take me as a child; via is the node that sent me here, of which you are a child
	joinReply struct{}               // the sender took you as a child
	redirect  struct{ to sim.Addr }  // no room: ask this child of the sender
	refused   struct{}               // the sender did not take you
	remove    struct{}               // the sender is no longer your child
)

// The messages before one node moves below another.
type (
	lock   struct{ papa sim.Addr } // stay where you are: I am a child of papa, and want to measure you
	locked struct{}                // the sender is locked for you, and stays where it is
	probe  struct{ last bool }     // one message of a burst
	probed struct{}                // the burst has arrived
	busy   struct{}                // the sender is not locked for you
	unlock struct{}                // you may move again
)

// The requests to a node, and its timers.
type (
	joinOverlay struct{} // the application's request
	reorgTimer  struct{} // at the root: have the tree reorganise
	joinTimer   struct{} // at a node without a parent: ask the root
	lockTimer   struct{} // at a locked node: the lock is over
)

const (
	reorgEvery = 5 * time.Second
	joinAgain  = 100 * time.Millisecond
	lockLasts  = 2 * time.Second
)

// burst is the number of probes in one measurement of bandwidth.
const burst = 2

// node is one node of the tree.
type node struct {
	root sim.Addr
	most int // the largest number of children

	wanted   bool     // the application wants it in the tree
	papa     sim.Addr // the parent; the node itself if it is the root; zero if it has not joined
	kids     map[sim.Addr]bool
	asked    sim.Addr // the node to which the unanswered join was sent
	target   sim.Addr // the node that this one locks in order to measure it
	left     int      // number of probes of the burst that are not sent yet, since the buffer was full
	lockedBy sim.Addr
}

// Parent, Children and HasChild implement tree.Member.
func (n *node) Parent() sim.Addr             { return n.papa }
func (n *node) Children() iter.Seq[sim.Addr] { return maps.Keys(n.kids) }
func (n *node) HasChild(a sim.Addr) bool     { return n.kids[a] }

func (n *node) joined() bool { return !n.papa.IsZero() }

func (n *node) Init(sim.Env) {}

func (n *node) Handle(env sim.Env, s sim.Signal) {
	switch s := s.(type) {
	case joinOverlay:
		n.wanted = true
		if env.Self() == n.root {
			n.papa = n.root
			env.After(reorgEvery, reorgTimer{})
			return
		}
		n.ask(env, n.root, sim.Addr{})
	case reorgTimer:
		tree.Reorganise(env, n)
		env.After(reorgEvery, reorgTimer{})
	case joinTimer:
		if n.lost() {
			n.ask(env, n.root, sim.Addr{})
		}
	case lockTimer:
		n.release(env)
	case sim.ClearToSend:
		n.pump(env, s.Peer)
	case sim.PeerError:
		n.lose(env, s.Peer)
	default:
		panic(fmt.Sprintf("overcast: no case for the signal %T", s))
	}
}

func (n *node) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case join:
		n.answer(env, from, m)
	case joinReply:
		n.follow(env, from)
	case redirect:
		n.redirected(env, from, m.to)
	case refused:
		n.turnedDown(env, from)
	case remove:
		delete(n.kids, from)
	case tree.Reorg:
		if from == n.papa { // else it is from before a move
			tree.Reorganise(env, n)
			n.lookAround(env, m)
		}
	case lock:
		n.grant(env, from, m)
	case locked:
		n.measure(env, from)
	case probe:
		n.answerProbe(env, from, m)
	case probed:
		n.decide(env, from)
	case busy:
		if from == n.target {
			n.done()
			n.waitToJoin(env)
		}
	case unlock:
		if from == n.lockedBy {
			n.release(env)
		}
	default:
		panic(fmt.Sprintf("overcast: no case for the message %T", m))
	}
}

// moving reports whether the node waits for an answer that may give it another
// parent.
func (n *node) moving() bool { return !n.asked.IsZero() || !n.target.IsZero() }

// lost reports whether the node has no parent, wants one, and must ask the root for it: it is not
// on its way to another place, and not locked.
func (n *node) lost() bool {
	return n.wanted && !n.joined() && !n.moving() && n.lockedBy.IsZero()
}

// waitToJoin sets the timer if the node is lost.
func (n *node) waitToJoin(env sim.Env) {
	if n.lost() {
		env.After(joinAgain, joinTimer{})
	}
}

// tell sends message m, which must not be lost, to a node. If the buffer is full, it resets the
// connection, and both nodes forget each other.
func (n *node) tell(env sim.Env, to sim.Addr, m sim.Message) {
	if !env.TCP().Send(to, m) {
		n.hangUp(env, to)
	}
}

func (n *node) hangUp(env sim.Env, on sim.Addr) {
	env.TCP().Reset(on)
	n.lose(env, on)
}

// lose forgets a peer whose connection has broken. The peer forgets this node as well, or has
// crashed.
func (n *node) lose(env sim.Env, peer sim.Addr) {
	delete(n.kids, peer)
	if n.asked == peer {
		n.asked = sim.Addr{}
	}
	if n.target == peer {
		n.done()
	}
	if n.lockedBy == peer && !env.Bug(OV1) {
		n.release(env)
	}
	if n.papa == peer {
		n.papa = sim.Addr{}
		n.giveUp(env)
	}
	n.waitToJoin(env)
}
