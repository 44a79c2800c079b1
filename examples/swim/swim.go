// Package swim is the membership protocol of SWIM: each node knows which others are up, though no
// node gets messages from all of them.
//
// # The story
//
// In each period a node pings one other node, in turn. If no ack comes, it asks the others to ping
// that node. If none of them can reach it either, the node is suspected. A node that stays
// suspected for some time is declared dead.
//
// Every ping and ack carries what its sender knows about the other nodes. A node that learns that
// it is suspected, or declared dead, refutes it: it raises its incarnation, which only the node
// itself may do, and statements about a later incarnation count more. The incarnation is kept in
// the store, so that a node that has crashed does not fall behind the incarnation that others
// know.
//
// Calls of layers/rpc carry the pings. They are not repeated, since the protocol is about acks
// that do not come.
//
// # What is promised
//
// The knowledge about a node never goes back to an earlier incarnation or status, nobody knows a
// later incarnation than the node itself, and only a suspect is declared dead. When the faults
// have ended, all nodes learn that all are alive.
package swim

import (
	"slices"
	"strconv"
	"time"

	"macemc/layers/rpc"
	"macemc/macetime"
	"macemc/sim"
)

const (
	period    = time.Second            // between two pings of a node
	patience  = 200 * time.Millisecond // for an ack
	suspicion = 3 * time.Second        // until a suspect is declared dead
)

// status is the status of a node as another node knows it. Of two statuses at the same incarnation, the
// larger one counts more.
type status int

const (
	alive status = iota
	suspect
	dead
)

func (s status) String() string { return [...]string{"alive", "suspect", "dead"}[s] }

// rumor is a statement about the status of a node.
type rumor struct {
	Of          sim.Addr
	Is          status
	Incarnation int
}

// beats reports whether rumor r takes the place of known, the rumor about the same node that a node
// knows so far.
func (r rumor) beats(known rumor) bool {
	return r.Incarnation > known.Incarnation || r.Incarnation == known.Incarnation && r.Is > known.Is
}

type (
	// ping asks for an ack.
	ping struct{ Rumors []rumor }
	ack  struct{ Rumors []rumor }
	// reach asks the receiver to ping another node, and to send an ack if that node answers.
	reach struct {
		Whom   sim.Addr
		Rumors []rumor
	}
)

type (
	join   struct{} // the application's request
	next   struct{} // the timer of a period
	expire struct{ Of sim.Addr }
)

// member is what a node knows about another node.
type member struct {
	rumor
	until macetime.Time // for a suspect: the time at which it is declared dead
}

// node is a member of the group that the protocol watches.
type node struct {
	self        sim.Addr
	incarnation int
	others      []member              // by address
	pinged      sim.Addr              // the node that was pinged in this period, or in the last one
	asked       []rpc.ID              // calls of this period that have no answer yet
	indirect    bool                  // these calls ask other nodes to ping that node
	favors      map[rpc.ID]rpc.Ticket // by the call of a ping for another node: the ticket to answer that node
}

var handlers = sim.Handle(
	sim.OnInit((*node).init), sim.OnSignal((*node).join), sim.OnSignal((*node).next), sim.OnSignal((*node).expire),
	sim.OnMessage((*node).ping), sim.OnMessage((*node).ack), sim.OnMessage((*node).reach), sim.OnSignal((*node).timedOut),
)

const incarnationKey = "incarnation"

// init reads the incarnation of earlier lives from the store.
func (n *node) init(env sim.Env) {
	text, _ := env.Store().Get(incarnationKey)
	n.incarnation, _ = strconv.Atoi(text) // nothing: 0
	env.Emit(begins{})
}

func (n *node) join(env sim.Env, _ join) { env.After(period, next{}) }

// next begins a period: it pings the next of the other nodes.
func (n *node) next(env sim.Env, _ next) {
	all := n.others
	if env.Bug(SM5) { // who is dead is not pinged any more
		all = slices.DeleteFunc(slices.Clone(all), func(m member) bool { return m.Is == dead })
	}
	if len(all) == 0 {
		env.After(period, next{})
		return
	}
	at := slices.IndexFunc(all, func(m member) bool { return m.Of.Compare(n.pinged) > 0 })
	n.pinged = all[max(at, 0)].Of
	n.indirect = false
	n.asked = append(n.asked[:0], rpc.Call(env, n.pinged, ping{n.rumors()}))
}

func (n *node) ping(env sim.Env, _ sim.Addr, p ping) {
	n.hear(env, p.Rumors)
	rpc.Answer(env, ack{n.rumors()})
}

func (n *node) reach(env sim.Env, _ sim.Addr, r reach) {
	n.hear(env, r.Rumors)
	n.favors[rpc.Call(env, r.Whom, ping{n.rumors()})] = rpc.TicketOf(env)
}

// ack handles the ack to a call. If the call belongs to this period, the period is over. If it was
// a ping on behalf of another node, that node gets an ack.
func (n *node) ack(env sim.Env, _ sim.Addr, a ack) {
	n.hear(env, a.Rumors)
	id := rpc.Of(env)
	if ticket, is := n.favors[id]; is {
		delete(n.favors, id)
		rpc.AnswerTo(env, ticket, ack{n.rumors()})
	}
	if slices.Contains(n.asked, id) {
		n.rest(env)
	}
}

// timedOut handles a call that no ack has answered in time. If the call was the ping of this period, the
// node asks each other node that it believes alive to ping the same node. When no call of the period is
// left, it suspects the node that was pinged.
func (n *node) timedOut(env sim.Env, t rpc.TimedOut) {
	delete(n.favors, t.ID)
	at := slices.Index(n.asked, t.ID)
	if at < 0 {
		return
	}
	n.asked = slices.Delete(n.asked, at, at+1)
	if !n.indirect {
		n.indirect = true
		for _, other := range n.others {
			if other.Of != n.pinged && other.Is == alive {
				n.asked = append(n.asked, rpc.Call(env, other.Of, reach{n.pinged, n.rumors()}))
			}
		}
	}
	if len(n.asked) > 0 {
		return
	}
	if m := n.about(n.pinged); m.Is == alive {
		n.learn(env, rumor{n.pinged, suspect, m.Incarnation}, false)
	}
	n.rest(env)
}

// rest forgets the calls of this period, and sets the timer for the next one.
func (n *node) rest(env sim.Env) {
	n.asked = n.asked[:0]
	env.After(period, next{})
}

// expire declares the node e.Of dead, if its time as a suspect is over by the clock. Otherwise it sets
// the timer again.
func (n *node) expire(env sim.Env, e expire) {
	m := n.about(e.Of)
	if m.Is == suspect && env.Before(env.Now(), m.until) {
		env.After(suspicion, e)
		return
	}
	n.learn(env, rumor{e.Of, dead, m.Incarnation}, true)
}

// hear stores those of the rumors that are news, and refutes those about the node itself.
func (n *node) hear(env sim.Env, all []rumor) {
	for _, r := range all {
		switch {
		case r.Of == n.self:
			n.refute(env, r)
		case r.beats(n.about(r.Of).rumor), env.Bug(SM4) && r.Incarnation == n.about(r.Of).Incarnation && r.Is == alive:
			n.learn(env, r, false)
		}
	}
}

// refute handles a rumor that this node is suspect or dead. If the rumor is about the node's
// incarnation or a later one, the node takes a still later incarnation. It stores this before other
// nodes may learn of it.
func (n *node) refute(env sim.Env, r rumor) {
	if r.Is == alive || r.Incarnation < n.incarnation || r.Incarnation == n.incarnation && env.Bug(SM1) {
		return
	}
	n.incarnation = r.Incarnation + 1
	env.Store().Put(incarnationKey, strconv.Itoa(n.incarnation))
	if env.Bug(SM2) {
		return
	}
	if err := env.Store().Sync(); err != nil {
		panic(err)
	}
}

// learn stores a rumor about another node. expired is set if the rumor declares a suspect dead because
// its time is over.
func (n *node) learn(env sim.Env, r rumor, expired bool) {
	m := member{rumor: r}
	if r.Is == suspect {
		m.until = env.Now().Add(suspicion)
		env.After(suspicion, expire{r.Of})
	} else if !env.Bug(SM3) {
		env.Cancel(expire{r.Of})
	}
	*n.about(r.Of) = m
	env.Emit(learns{r, expired})
}

// about returns the knowledge about node a.
func (n *node) about(a sim.Addr) *member {
	return &n.others[slices.IndexFunc(n.others, func(m member) bool { return m.Of == a })]
}

// rumors returns everything that the node knows, including about itself.
func (n *node) rumors() []rumor {
	all := append(make([]rumor, 0, 1+len(n.others)), rumor{n.self, alive, n.incarnation})
	for _, m := range n.others {
		all = append(all, m.rumor)
	}
	return all
}
