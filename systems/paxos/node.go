package paxos

import (
	"slices"

	"macemc/sim"
)

// A proposal is a value in a ballot. The zero proposal means none.
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

// rule says how a proposer or a learner counts answers: the number that is enough, and which of
// them it remembers.
type rule struct {
	enough int
	number bool // only the number of answers is remembered, and not their senders
	stay   bool // later answers are not taken
	quorum bool // the answers of a majority are taken in one event, and none before
}

// takes reports whether a node may handle an answer by itself, and not as one of a quorum. over says
// whether the node has enough answers already.
func (r *rule) takes(over bool) bool {
	if over {
		return !r.stay
	}
	return !r.quorum
}

func (r *rule) majority() int { return r.enough }

// votes has the answers so far. When there are enough, the list of senders is emptied.
type votes struct {
	senders []sim.Addr // the senders, in order
	number  int        // the number of answers, if senders are not remembered
	over    bool
}

// vote records the answer of node from, and reports whether there are enough answers now.
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

// A proposer has one ballot. Its own value is the number of the ballot.
type proposer struct {
	rule
	ballot    int
	acceptors []sim.Addr
	begun     bool
	votes     votes
	highest   proposal // the accepted proposal with the highest ballot in the answers so far
}

var proposers = sim.Handle(sim.OnSignal((*proposer).begin), sim.OnMessage((*proposer).readRepl))

// quorumProposers are the handlers of a proposer that takes the answers of a majority in one event,
// and later answers one by one.
var quorumProposers = sim.Handle(
	sim.OnSignal((*proposer).begin), sim.OnMessage((*proposer).readRepl),
	sim.OnQuorum((*proposer).majority, (*proposer).matches, (*proposer).readRepls),
)

// Offers offers the action that begins the proposer's ballot, once.
func (p *proposer) Offers(offer func(sim.Signal)) {
	if !p.begun {
		offer(begin{})
	}
}

// Accepts reports whether an answer may be handled by itself: see rule.takes.
func (p *proposer) Accepts(sim.Addr, sim.Message) bool { return p.takes(p.votes.over) }

// matches reports whether an answer may be taken as a part of a quorum.
func (p *proposer) matches(sim.Addr, readRepl) (all struct{}, ok bool) {
	return all, !p.votes.over
}

func (p *proposer) readRepls(env sim.Env, of []sim.Sent[readRepl]) {
	for _, m := range of {
		p.hears(env, m.Message)
	}
	p.votes = votes{over: true}
	p.write(env)
}

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
	p.hears(env, m)
	if p.votes.vote(&p.rule, from) {
		p.write(env)
	}
}

// hears records the accepted proposal in answer m, if its ballot is the highest so far.
func (p *proposer) hears(env sim.Env, m readRepl) {
	if m.accepted.ballot > p.highest.ballot && !env.Bug(PX2) {
		p.highest = m.accepted
	}
}

func (p *proposer) write(env sim.Env) {
	value := p.ballot
	if p.highest.ballot > 0 {
		value = p.highest.value
	}
	p.highest = proposal{}
	for _, a := range p.acceptors {
		env.Bag().Send(a, write{p.ballot, value})
	}
}

// An acceptor promises to accept nothing below a ballot, and accepts proposals.
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

// A learner counts the ACCEPTs of each ballot.
type learner struct {
	rule
	of    []votes
	value int // 0 if no value is learnt
}

var learners = sim.Handle(sim.OnMessage((*learner).accept))

// quorumLearners are the handlers of a learner that takes the answers of a majority in one event.
var quorumLearners = sim.Handle(
	sim.OnMessage((*learner).accept), sim.OnQuorum((*learner).majority, (*learner).matches, (*learner).accepts),
)

// Accepts reports whether an answer may be handled by itself: see rule.takes.
func (l *learner) Accepts(_ sim.Addr, m sim.Message) bool {
	return l.takes(l.of[m.(accept).ballot-1].over)
}

// matches reports whether an answer may be taken as a part of a quorum, and for which ballot it is.
// Only answers for one ballot are taken together.
func (l *learner) matches(_ sim.Addr, m accept) (ballot int, ok bool) {
	return m.ballot, !l.of[m.ballot-1].over
}

func (l *learner) accepts(env sim.Env, of []sim.Sent[accept]) {
	l.of[of[0].Message.ballot-1] = votes{over: true}
	l.learn(env, of[0].Message.value)
}

func (l *learner) accept(env sim.Env, from sim.Addr, m accept) {
	votes, rule := &l.of[m.ballot-1], l.rule
	if env.Bug(PX3) {
		rule.enough = 1
	}
	if !votes.over && votes.vote(&rule, from) {
		l.learn(env, m.value)
	}
}

func (l *learner) learn(env sim.Env, value int) {
	l.value = value
	env.Emit(learnt{value})
}
