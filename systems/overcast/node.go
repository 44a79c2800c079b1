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
	join      struct{ via sim.Addr } // take me; via: its child you are, who sent me here
	joinReply struct{}               // the sender took you as a child
	redirect  struct{ to sim.Addr }  // no room: ask this child of the sender
	refused   struct{}               // the sender did not
	remove    struct{}               // the sender is not your child any more
)

// The messages before one node moves below another.
type (
	lock   struct{ papa sim.Addr } // stay where you are: I, a child of papa, want to measure you
	locked struct{}                // the sender stays
	probe  struct{ last bool }     // one of a burst
	probed struct{}                // the burst has arrived
	busy   struct{}                // the sender is not locked for you
	unlock struct{}                // you may move again
)

// The requests to a node, and its timers.
type (
	joinOverlay struct{} // the application's request
	reorgTimer  struct{} // at the root: have the tree reorganise
	joinTimer   struct{} // of a node without a parent: ask the root
	lockTimer   struct{} // of a locked node: that was long enough
)

const (
	reorgEvery = 5 * time.Second
	joinAgain  = 100 * time.Millisecond
	lockLasts  = 2 * time.Second
)

// burst is how many probes measure a bandwidth.
const burst = 2

// node is one node of the tree.
type node struct {
	root sim.Addr
	most int // children

	wanted   bool     // by the application
	papa     sim.Addr // nobody: not joined; self: this is the root
	kids     map[sim.Addr]bool
	asked    sim.Addr // whom the unanswered join was sent to
	target   sim.Addr // whom this node locks, to measure it
	left     int      // probes of the burst that the buffer has not taken yet
	lockedBy sim.Addr
}

// Parent, Children and HasChild make it a member of a tree.
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

// moving reports whether the node waits for somebody's answer that may give it
// another parent.
func (n *node) moving() bool { return !n.asked.IsZero() || !n.target.IsZero() }

// lost reports whether the node is to ask the root.
func (n *node) lost() bool {
	return n.wanted && !n.joined() && !n.moving() && n.lockedBy.IsZero()
}

// waitToJoin sets the timer of a node that has nothing else to wait for.
func (n *node) waitToJoin(env sim.Env) {
	if n.lost() {
		env.After(joinAgain, joinTimer{})
	}
}

// tell sends a message that must not be lost: if the buffer is full it resets the connection,
// and both ends begin anew.
func (n *node) tell(env sim.Env, to sim.Addr, m sim.Message) {
	if !env.TCP().Send(to, m) {
		n.hangUp(env, to)
	}
}

func (n *node) hangUp(env sim.Env, on sim.Addr) {
	env.TCP().Reset(on)
	n.lose(env, on)
}

// lose forgets a peer whose connection broke: it does the same, or is no more.
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
