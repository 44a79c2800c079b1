package rpc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"macemc/sim"
)

// The known bugs of the layer. A system with this layer lists Bugs among its own.
const (
	RP1 sim.BugID = "RP1"
	RP2 sim.BugID = "RP2"
)

// Bugs are the known bugs of the layer.
var Bugs = []sim.Bug{
	{ID: RP1, Story: "A request takes effect twice. The layer does not look up its answers: a request that was repeated because its answer was late is passed to the node again."},
	{ID: RP2, Story: "An answer is taken for the answer to another call. The caller takes any answer of the node that it asked as the answer to its oldest open call."},
}

// Options say how calls are made.
type Options struct {
	By       sim.Link      // the link of requests and answers; 0 means UDP
	Tries    int           // the number of times that a request is sent; 0 means until it is answered
	Wait     time.Duration // the time to wait for an answer on a real network; 0 means a second
	Sessions bool          // distinguish calls from those before a crash, by stable storage
}

// ID identifies a call of a node.
type ID int

// TimedOut is the signal that a call was given up.
type TimedOut struct {
	ID ID
	To sim.Addr
}

// Ticket says to which node and call an answer belongs.
type Ticket struct {
	From    sim.Addr
	session int
	id      ID
}

type (
	request struct {
		session int
		id      ID
		settled ID // all calls of the caller to this node with smaller numbers have ended
		body    sim.Message
	}
	response struct {
		session int
		id      ID
		body    sim.Message
	}
	resend struct { // the timer of a call
		to sim.Addr
		id ID
	}
)

// Carries returns the body, and text with the request's number, which reports show after the body.
func (r request) Carries() (sim.Message, string) { return r.body, fmt.Sprintf("request %d", r.id) }

// Carries returns the body, and text with the call that it answers, which reports show after the body.
func (r response) Carries() (sim.Message, string) { return r.body, fmt.Sprintf("answer to %d", r.id) }

func (a resend) String() string { return fmt.Sprintf("request %d to %s", a.id, a.to) }

// Layer is the rpc layer of one node, with the node above it.
type Layer struct {
	upper   sim.Node
	options Options
	session int
	last    ID
	open    []call // the calls that have no answer yet, ordered by their numbers
	peers   map[sim.Addr]*caller

	above above `mc:"-"` // the Env of the upper node, set again in every step
}

// call is a call that has no answer yet.
type call struct {
	id   ID
	to   sim.Addr
	body sim.Message
	left int // the number of times that its request may still be sent; -1 means without limit
}

// caller has what the layer remembers about a node that calls this one.
type caller struct {
	session  int
	settled  ID
	answered []answer // the requests of the caller that were begun, ordered by their numbers
}

// answer is the answer to a request that was passed to the node above. A nil body means
// that there is no answer yet.
type answer struct {
	id   ID
	body sim.Message
}

// waits reports whether the caller still waits for the answer to the request id of a
// session.
func (p *caller) waits(session int, id ID) bool { return session == p.session && id >= p.settled }

// settle removes the answers to calls before first, for which the caller no longer waits.
func (p *caller) settle(first ID) {
	p.settled = max(p.settled, first)
	p.answered = slices.DeleteFunc(p.answered, func(a answer) bool { return a.id < p.settled })
}

// find returns the place of a request among those that were begun, and whether it is there.
func (p *caller) find(id ID) (at int, begun bool) {
	return slices.BinarySearchFunc(p.answered, id, func(a answer, id ID) int { return cmp.Compare(a.id, id) })
}

// answer records the answer to a request. It reports false if nobody waits for it, or if the
// request was answered before.
func (p *caller) answer(to Ticket, body sim.Message) bool {
	at, begun := p.find(to.id)
	if !begun || !p.waits(to.session, to.id) || p.answered[at].body != nil {
		return false
	}
	p.answered[at].body = body
	return true
}

// above is the Env of the node above.
type above struct {
	sim.Env
	l      *Layer
	ticket Ticket // the Ticket of the request that is being handled, or zero
	of     ID     // the call whose answer is being handled, or 0
}

// Over returns a Layer with the node upper above it.
func Over(upper sim.Node, o Options) *Layer {
	if o.By == 0 {
		o.By = sim.LinkUDP
	}
	if o.Wait == 0 {
		o.Wait = time.Second
	}
	return &Layer{upper: upper, options: o, peers: map[sim.Addr]*caller{}}
}

// KnownBugs returns the known bugs of the layer.
func (l *Layer) KnownBugs() []sim.Bug { return Bugs }

// Upper returns the node above.
func (l *Layer) Upper() sim.Node { return l.upper }

// enter returns the Env of the node above for one handler. request is the request that it
// handles, or zero; answered is the call whose answer it handles, or 0.
func (l *Layer) enter(env sim.Env, request Ticket, answered ID) *above {
	l.above = above{env, l, request, answered}
	return &l.above
}

func below(env sim.Env, what string) *above {
	a, is := env.(*above)
	if !is {
		panic(fmt.Sprintf("rpc: the Env passed to %s is not that of a node above the layer; make the node with rpc.Over, and pass the Env of its handler", what))
	}
	return a
}

// Call sends a request to a node. The answer arrives as a message, or TimedOut as a signal.
func Call(env sim.Env, to sim.Addr, body sim.Message) ID {
	a := below(env, "Call")
	return a.l.call(a.Env, to, body)
}

func (l *Layer) call(env sim.Env, to sim.Addr, body sim.Message) ID {
	l.last++
	l.open = append(l.open, call{id: l.last, to: to, body: body, left: cmp.Or(l.options.Tries, -1)})
	l.ask(env, len(l.open)-1)
	return l.last
}

// find returns the index in l.open of the call with this number, and reports whether the call is
// open. If it is not, the index is the one that it would have.
func (l *Layer) find(id ID) (at int, open bool) {
	return slices.BinarySearchFunc(l.open, id, func(c call, id ID) int { return cmp.Compare(c.id, id) })
}

// Of returns the call that the current message answers. It is 0 if the message is not an
// answer.
func Of(env sim.Env) ID { return below(env, "Of").of }

// TicketOf returns the Ticket of the current request, for a later AnswerTo.
func TicketOf(env sim.Env) Ticket { return below(env, "TicketOf").ticket }

// Answer answers the current request.
func Answer(env sim.Env, body sim.Message) { AnswerTo(env, TicketOf(env), body) }

// AnswerTo answers a request. It does nothing if the request was answered already.
func AnswerTo(env sim.Env, to Ticket, body sim.Message) {
	a := below(env, "AnswerTo")
	if to == (Ticket{}) {
		panic("rpc: Answer outside the handler of a request; keep its TicketOf and use AnswerTo")
	}
	if p := a.l.peers[to.From]; p == nil || !p.answer(to, body) {
		return
	}
	a.l.send(a.Env, to.From, response{to.session, to.id, body})
}

// send sends m to a node. It ignores a refusal, since requests are repeated.
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

// ask sends the request of the open call at an index, and counts the send.
func (l *Layer) ask(env sim.Env, at int) {
	c := &l.open[at]
	if c.left > 0 {
		c.left--
	}
	l.send(env, c.to, request{l.session, c.id, l.settled(c.to), c.body})
	env.After(l.options.Wait, resend{c.to, c.id})
}

// settled returns the number of the first call to a node that is still open, or that of the
// next call if none is: all calls to the node with smaller numbers have ended.
func (l *Layer) settled(to sim.Addr) ID {
	for _, c := range l.open {
		if c.to == to {
			return c.id
		}
	}
	return l.last + 1
}

// Init starts the node above.
func (l *Layer) Init(env sim.Env) {
	if l.options.Sessions {
		const key = "rpc session"
		text, _ := env.Store().Get(key)
		before, _ := strconv.Atoi(text) // a missing text counts as 0
		l.session = before + 1
		env.Store().Put(key, strconv.Itoa(l.session))
		if err := env.Store().Sync(); err != nil {
			panic(err)
		}
	}
	l.upper.Init(l.enter(env, Ticket{}, 0))
}

// Deliver handles requests and answers, and passes all other messages to the node above.
func (l *Layer) Deliver(env sim.Env, from sim.Addr, m sim.Message) {
	switch m := m.(type) {
	case request:
		l.asked(env, from, m)
	case response:
		l.answered(env, from, m)
	default:
		l.upper.Deliver(l.enter(env, Ticket{}, 0), from, m)
	}
}

func (l *Layer) asked(env sim.Env, from sim.Addr, m request) {
	p := l.peers[from]
	if p == nil || p.session < m.session {
		p = &caller{session: m.session}
		l.peers[from] = p
	}
	if !p.waits(m.session, m.id) {
		return
	}
	p.settle(m.settled)
	at, begun := p.find(m.id)
	switch {
	case !begun:
		p.answered = slices.Insert(p.answered, at, answer{id: m.id})
	case env.Bug(RP1):
		p.answered[at].body = nil
	default:
		if body := p.answered[at].body; body != nil {
			l.send(env, from, response{m.session, m.id, body})
		}
		return
	}
	l.upper.Deliver(l.enter(env, Ticket{from, m.session, m.id}, 0), from, m.body)
}

func (l *Layer) answered(env sim.Env, from sim.Addr, m response) {
	id := m.id
	if env.Bug(RP2) && len(l.open) > 0 {
		id = l.open[0].id
	}
	at, open := l.find(id)
	if !open || l.open[at].to != from || m.session != l.session {
		return // a duplicate, or the call was given up
	}
	l.open = slices.Delete(l.open, at, at+1)
	env.Cancel(resend{from, id})
	l.upper.Deliver(l.enter(env, Ticket{}, id), from, m.body)
}

// Handle handles the layer's timer, and passes all other signals to the node above. It drops errors of the
// connections that carry the layer's calls: if a request was lost with a connection, the timer sends it again.
func (l *Layer) Handle(env sim.Env, s sim.Signal) {
	if _, is := s.(sim.PeerError); is && l.options.By == sim.LinkTCP {
		return
	}
	t, mine := s.(resend)
	if !mine {
		l.upper.Handle(l.enter(env, Ticket{}, 0), s)
		return
	}
	at, _ := l.find(t.id) // the end of the call would have cancelled the timer
	if l.open[at].left != 0 {
		l.ask(env, at)
		return
	}
	l.open = slices.Delete(l.open, at, at+1)
	l.upper.Handle(l.enter(env, Ticket{}, 0), TimedOut{t.id, t.to})
}
