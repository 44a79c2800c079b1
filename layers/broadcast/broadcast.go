package broadcast

import (
	"fmt"
	"slices"

	"macemc/sim"
)

// BC1 is the known bug of the layer. A system with this layer lists Bugs among its own.
const BC1 sim.BugID = "BC1"

// Bugs are the known bugs of the layer.
var Bugs = []sim.Bug{
	{ID: BC1, Story: "Receivers do not forward messages. A sender that crashes between two sends leaves some nodes with a message that others never get."},
}

// message is one broadcast. number counts the broadcasts of its origin.
type message struct {
	origin sim.Addr
	number int
	body   sim.Message
}

// Carries returns the body, and text with the origin and the number, which reports show after the body.
func (m message) Carries() (sim.Message, string) {
	return m.body, fmt.Sprintf("broadcast %d of %s", m.number, m.origin)
}

// Layer is the broadcast layer of one node, with the node above it.
type Layer struct {
	upper sim.Node
	sent  int
	got   map[sim.Addr]*got
	wait  map[sim.Addr][]message // for each peer, the messages to it that the link refused

	above above `mc:"-"` // the Env of the upper node, set again in every step
}

// got records which broadcasts of one origin have arrived: all with numbers before next,
// and those in beyond.
type got struct {
	next   int
	beyond []int // numbers after next that have arrived, in increasing order
}

type above struct {
	sim.Env
	l *Layer
}

// Over returns a Layer with the node upper above it.
func Over(upper sim.Node) *Layer {
	return &Layer{upper: upper, got: map[sim.Addr]*got{}, wait: map[sim.Addr][]message{}}
}

// KnownBugs returns the known bugs of the layer.
func (l *Layer) KnownBugs() []sim.Bug { return Bugs }

// Upper returns the node above.
func (l *Layer) Upper() sim.Node { return l.upper }

func (l *Layer) enter(env sim.Env) *above {
	l.above = above{env, l}
	return &l.above
}

// Send sends a message to all nodes. The sending node gets it before Send returns.
func Send(env sim.Env, body sim.Message) {
	a, is := env.(*above)
	if !is {
		panic(fmt.Sprintf("broadcast: the Env passed to Send (%T) is not that of a node above the layer; make the node with broadcast.Over, and pass the Env of its handler", env))
	}
	a.l.sent++
	a.l.spread(a.Env, message{a.Self(), a.l.sent, body})
}

// spread forwards a new broadcast to all other nodes but its origin, and passes its body to
// the node above.
func (l *Layer) spread(env sim.Env, m message) {
	g := l.got[m.origin]
	if g == nil {
		g = &got{next: 1}
		l.got[m.origin] = g
	}
	if !g.note(m.number) {
		return
	}
	if m.origin == env.Self() || !env.Bug(BC1) {
		for _, peer := range env.Peers() {
			if peer != m.origin {
				l.send(env, peer, m)
			}
		}
	}
	l.upper.Deliver(l.enter(env), m.origin, m.body)
}

// note records a number, and reports whether it is new.
func (g *got) note(number int) bool {
	i, known := slices.BinarySearch(g.beyond, number)
	if number < g.next || known {
		return false
	}
	g.beyond = slices.Insert(g.beyond, i, number)
	for len(g.beyond) > 0 && g.beyond[0] == g.next {
		g.beyond = g.beyond[1:]
		g.next++
	}
	return true
}

func (l *Layer) send(env sim.Env, to sim.Addr, m message) {
	if len(l.wait[to]) > 0 || !env.TCP().Send(to, m) {
		l.wait[to] = append(l.wait[to], m)
		env.TCP().RequestToSend(to)
	}
}

// Init starts the node above.
func (l *Layer) Init(env sim.Env) { l.upper.Init(l.enter(env)) }

// Deliver handles broadcasts, and passes all other messages to the node above.
func (l *Layer) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	if m, mine := m.(message); mine {
		l.spread(env, m)
		return
	}
	l.upper.Deliver(l.enter(env), from, m)
}

// Handle sends refused messages when there is room, and passes all other signals to the
// node above.
func (l *Layer) Handle(env sim.Env, s sim.Signal) {
	c, room := s.(sim.ClearToSend)
	if !room || len(l.wait[c.Peer]) == 0 {
		l.upper.Handle(l.enter(env), s)
		return
	}
	waiting := l.wait[c.Peer]
	delete(l.wait, c.Peer)
	for _, m := range waiting {
		l.send(env, c.Peer, m)
	}
}
