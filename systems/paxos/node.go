package paxos

import (
	"slices"

	"macemc/sim"
)

// A proposal is a value in a ballot; the zero proposal is none.
type proposal struct{ ballot, value int }

type ( // messages, as the papers name them
	read     struct{ ballot int }
	readRepl struct {
		ballot   int
		accepted proposal
	}
	write  proposal
	accept proposal
)

type begin struct{} // the action of a proposer

type learnt struct{ value int } // a fact

// rule is when there are enough answers, and what is kept of them.
type rule struct {
	enough int
	number bool // only how many
	stay   bool // those that come later are not taken
}

// votes are the answers so far. The list is cleared when there are enough.
type votes struct {
	senders []sim.Addr // in order
	number  int        // where their senders do not count
	over    bool
}

// vote notes an answer and reports whether it was the last that was needed.
func (v *votes) vote(r *rule, from sim.Addr) bool {
	if r.number {
		v.number++
	} else {
		v.senders = append(v.senders, from)
		slices.SortFunc(v.senders, sim.Addr.Compare)
	}
	if v.number+len(v.senders) < r.enough {
		return false
	}
	*v = votes{over: true}
	return true
}

// A proposer has one ballot, and its own value is the ballot's number.
type proposer struct {
	rule
	ballot    int
	acceptors []sim.Addr
	begun     bool
	votes     votes
	highest   proposal // accepted, of the answers so far
}

var proposers = sim.Handle(sim.OnSignal((*proposer).begin), sim.OnMessage((*proposer).readRepl))

// Offers begins the ballot.
func (p *proposer) Offers(offer func(sim.Signal)) {
	if !p.begun {
		offer(begin{})
	}
}

// Accepts leaves late answers alone.
func (p *proposer) Accepts(sim.Addr, sim.Message) bool { return !p.stay || !p.votes.over }

func (p *proposer) begin(env sim.Env, _ begin) {
	p.begun = true
	for _, a := range p.acceptors {
		env.Bag().Send(a, read{p.ballot})
	}
}

func (p *proposer) readRepl(env sim.Env, from sim.Addr, m readRepl) {
	if p.votes.over {
		return
	}
	if m.accepted.ballot > p.highest.ballot && !env.Bug(PX2) {
		p.highest = m.accepted
	}
	if !p.votes.vote(&p.rule, from) {
		return
	}
	value := p.ballot
	if p.highest.ballot > 0 {
		value = p.highest.value
	}
	p.highest = proposal{}
	for _, a := range p.acceptors {
		env.Bag().Send(a, write{p.ballot, value})
	}
}

// An acceptor promises to accept nothing below a ballot.
type acceptor struct {
	learners []sim.Addr
	promised int
	accepted proposal
}

var acceptors = sim.Handle(sim.OnMessage((*acceptor).read), sim.OnMessage((*acceptor).write))

func (a *acceptor) read(env sim.Env, from sim.Addr, m read) {
	if m.ballot > a.promised {
		a.promised = m.ballot
		env.Bag().Send(from, readRepl{m.ballot, a.accepted})
	}
}

func (a *acceptor) write(env sim.Env, _ sim.Addr, m write) {
	if m.ballot < a.promised && !env.Bug(PX1) {
		return
	}
	a.promised, a.accepted = m.ballot, proposal(m)
	for _, l := range a.learners {
		env.Bag().Send(l, accept(m))
	}
}

// A learner counts for each ballot.
type learner struct {
	rule
	of    []votes
	value int // 0 if none is learnt
}

var learners = sim.Handle(sim.OnMessage((*learner).accept))

// Accepts leaves late answers alone.
func (l *learner) Accepts(_ sim.Addr, m sim.Message) bool {
	return !l.stay || !l.of[m.(accept).ballot-1].over
}

func (l *learner) accept(env sim.Env, from sim.Addr, m accept) {
	votes, rule := &l.of[m.ballot-1], l.rule
	if env.Bug(PX3) {
		rule.enough = 1
	}
	if !votes.over && votes.vote(&rule, from) {
		l.value = m.value
		env.Emit(learnt{m.value})
	}
}
