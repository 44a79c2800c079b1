package rpc

import (
	"fmt"
	"strconv"
	"time"

	"macemc/sim"
)

// The known bugs of the layer. A system that stands on it lists Bugs among its own.
const (
	RP1 sim.BugID = "RP1"
	RP2 sim.BugID = "RP2"
)

// Bugs are the known bugs of the layer.
var Bugs = []sim.Bug{
	{ID: RP1, Story: "A request takes effect twice. The layer does not look up what it has answered: a request that was sent again since its answer was late is handed up again."},
	{ID: RP2, Story: "An answer is taken for another one's. The caller takes whatever comes from the node that it asked for the answer to its last call."},
}

// Options say how a call is made.
type Options struct {
	By       sim.Link      // of requests and answers; 0: UDP
	Tries    int           // how often a request is sent; 0: until it is answered
	Wait     time.Duration // for an answer, on a real network; 0: a second
	Sessions bool          // calls are told from those before a crash, by stable storage
}

// ID tells a call from all others of its node.
type ID int

// TimedOut is the signal that a call was given up.
type TimedOut struct {
	ID ID
	To sim.Addr
}

// Ticket is what an answer is given to.
type Ticket struct {
	From    sim.Addr
	session int
	id      ID
}

type (
	request struct {
		session int
		id      ID
		settled ID // the caller waits for nothing before
		body    sim.Message
	}
	response struct {
		session int
		id      ID
		body    sim.Message
	}
	again struct { // the timer of a call
		to sim.Addr
		id ID
	}
)

// Carries shows the body before the envelope: see sim.Envelope.
func (r request) Carries() (sim.Message, string) { return r.body, fmt.Sprintf("request %d", r.id) }

// Carries shows the body before the envelope: see sim.Envelope.
func (r response) Carries() (sim.Message, string) { return r.body, fmt.Sprintf("answer to %d", r.id) }

func (a again) String() string { return fmt.Sprintf("request %d to %s", a.id, a.to) }

// Layer is the layer below a node.
type Layer struct {
	upper   sim.Node
	options Options
	session int
	last    ID
	open    map[ID]*call
	peers   map[sim.Addr]*caller

	above above `mc:"-"` // the Env of the upper node, set anew in every step
}

// call is one that has no answer yet.
type call struct {
	to   sim.Addr
	body sim.Message
	left int // how often it may be sent yet; -1: for ever
}

// caller is what is known of who asks this node.
type caller struct {
	session  int
	settled  ID
	answered map[ID]sim.Message // nil: it is being answered
}

// above is the Env of the node above.
type above struct {
	sim.Env
	l      *Layer
	ticket Ticket // of the request that is handled; zero: none
	of     ID     // of the answer that is handled; 0: none
}

// Over puts a Layer below a node.
func Over(upper sim.Node, o Options) *Layer {
	if o.By == 0 {
		o.By = sim.LinkUDP
	}
	if o.Wait == 0 {
		o.Wait = time.Second
	}
	return &Layer{upper: upper, options: o, open: map[ID]*call{}, peers: map[sim.Addr]*caller{}}
}

// KnownBugs are the known bugs of the layer.
func (l *Layer) KnownBugs() []sim.Bug { return Bugs }

// Upper is the node above.
func (l *Layer) Upper() sim.Node { return l.upper }

func (l *Layer) enter(env sim.Env) *above {
	l.above = above{Env: env, l: l}
	return &l.above
}

func below(env sim.Env, what string) *above {
	a, is := env.(*above)
	if !is {
		panic(fmt.Sprintf("rpc: %s was given the Env of a node that does not stand on the layer; make it with rpc.Over, and pass on the Env of its handler", what))
	}
	return a
}

// Call asks a node. The answer comes as a message, or TimedOut as a signal.
func Call(env sim.Env, to sim.Addr, body sim.Message) ID {
	a := below(env, "Call")
	l := a.l
	l.last++
	c := &call{to: to, body: body, left: l.options.Tries}
	if c.left == 0 {
		c.left = -1
	}
	l.open[l.last] = c
	l.ask(a.Env, l.last, c)
	return l.last
}

// Of is the call that a message answers; 0: it is no answer.
func Of(env sim.Env) ID { return below(env, "Of").of }

// TicketOf is where the answer to the request goes that is handled now, for who
// answers later.
func TicketOf(env sim.Env) Ticket { return below(env, "TicketOf").ticket }

// Answer answers the request that is handled now.
func Answer(env sim.Env, body sim.Message) { AnswerTo(env, TicketOf(env), body) }

// AnswerTo answers a request. Who has got an answer already gets no other.
func AnswerTo(env sim.Env, to Ticket, body sim.Message) {
	a := below(env, "AnswerTo")
	if to == (Ticket{}) {
		panic("rpc: Answer outside the handler of a request; keep its TicketOf and use AnswerTo")
	}
	p := a.l.peers[to.From]
	if p == nil || p.session != to.session || to.id < p.settled || p.answered[to.id] != nil {
		return
	}
	p.answered[to.id] = body
	a.l.send(a.Env, to.From, response{to.session, to.id, body})
}

// send does not mind a refusal: the request comes again.
func (l *Layer) send(env sim.Env, to sim.Addr, m sim.Message) {
	var sent bool
	switch l.options.By {
	case sim.LinkTCP:
		sent = env.TCP().Send(to, m)
	case sim.LinkBag:
		sent = env.Bag().Send(to, m)
	case sim.LinkUDP:
		sent = env.UDP().Send(to, m)
	default:
		panic(fmt.Sprintf("rpc: Options.By is %s; it is TCP, UDP or Bag", l.options.By))
	}
	if !sent && env.Tracing() {
		env.Logf("there is no room for %v: it is sent again later", m)
	}
}

func (l *Layer) ask(env sim.Env, id ID, c *call) {
	if c.left > 0 {
		c.left--
	}
	l.send(env, c.to, request{l.session, id, l.settled(c.to), c.body})
	env.After(l.options.Wait, again{c.to, id})
}

// settled is the first call to a node that is still open.
func (l *Layer) settled(to sim.Addr) ID {
	least := l.last + 1
	for id, c := range l.open {
		if c.to == to {
			least = min(least, id)
		}
	}
	return least
}

// Init starts the node above.
func (l *Layer) Init(env sim.Env) {
	if l.options.Sessions {
		const key = "rpc session"
		text, _ := env.Store().Get(key)
		before, _ := strconv.Atoi(text) // nothing: 0
		l.session = before + 1
		env.Store().Put(key, strconv.Itoa(l.session))
		if err := env.Store().Sync(); err != nil {
			panic(err)
		}
	}
	l.upper.Init(l.enter(env))
}

// Deliver takes requests and answers, and hands up everything else.
func (l *Layer) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case request:
		l.asked(env, from, m)
	case response:
		l.answered(env, from, m)
	default:
		l.upper.Deliver(l.enter(env), from, m)
	}
}

func (l *Layer) asked(env sim.Env, from sim.Addr, m request) {
	p := l.peers[from]
	if p == nil || p.session < m.session {
		p = &caller{session: m.session, answered: map[ID]sim.Message{}}
		l.peers[from] = p
	}
	if m.session < p.session || m.id < p.settled {
		return // nobody waits for an answer any more
	}
	p.settled = max(p.settled, m.settled)
	for _, id := range sim.Keys(p.answered) {
		if id < p.settled {
			delete(p.answered, id)
		}
	}
	if answer, known := p.answered[m.id]; known && !env.Bug(RP1) {
		if answer != nil {
			l.send(env, from, response{m.session, m.id, answer})
		}
		return
	}
	p.answered[m.id] = nil
	a := l.enter(env)
	a.ticket = Ticket{from, m.session, m.id}
	l.upper.Deliver(a, from, m.body)
}

func (l *Layer) answered(env sim.Env, from sim.Addr, m response) {
	id := m.id
	if env.Bug(RP2) && len(l.open) > 0 {
		id = sim.Keys(l.open)[0]
	}
	if c := l.open[id]; c == nil || c.to != from || m.session != l.session {
		return // had it, or it was given up
	}
	delete(l.open, id)
	env.Cancel(again{from, id})
	a := l.enter(env)
	a.of = id
	l.upper.Deliver(a, from, m.body)
}

// Handle takes the layer's timer, and hands up everything else but for errors of the
// connections that carry its calls: what was lost with one is sent again by the timer.
func (l *Layer) Handle(env sim.Env, s sim.Signal) {
	if _, is := s.(sim.PeerError); is && l.options.By == sim.LinkTCP {
		return
	}
	t, mine := s.(again)
	if !mine {
		l.upper.Handle(l.enter(env), s)
		return
	}
	c := l.open[t.id] // its end would have cancelled the timer
	if c.left != 0 {
		l.ask(env, t.id, c)
		return
	}
	delete(l.open, t.id)
	l.upper.Handle(l.enter(env), TimedOut{t.id, t.to})
}
