package multipaxos

import (
	"slices"
	"time"

	"macemc/layers/machine"
	"macemc/sim"
	"macemc/systems/service"
)

type propose struct{ Value service.Command } // the application's request

// A vote records that an acceptor has accepted Value in a slot, in the given ballot. The zero
// Value is the empty command, which fills slots that have no other value.
type vote struct {
	Slot, Ballot int
	Value        service.Command
}

type ( // messages
	prepare struct {
		Ballot int
		After  int // the slot after which votes are wanted
	}
	promise struct {
		Ballot   int
		Accepted []vote // by slot
	}
	refuse   struct{ Promised int }
	accept   vote
	accepted vote
	decided  struct {
		Slot  int
		Value service.Command
	}
)

type retry struct{} // a timer

// These are the facts that nodes emit for the monitor.
type (
	Proposed struct{ Value service.Command }
	Chosen   struct {
		Slot  int
		Value service.Command
	}
)

const (
	idle      machine.Name = "idle"
	preparing machine.Name = "preparing"
	leading   machine.Name = "leading"
	waiting   machine.Name = "waiting"
	open      machine.Name = "open"
)

// A proposer tries to become the leader by ballots of its own, and then proposes commands.
type proposer struct {
	machine.Core
	acceptors, learners []sim.Addr // the other nodes in these roles
	own                 *voter     // in a replica: its own acceptor; nil in System
	log                 *log       // in a replica: its own log; nil in System
	slots               int        // the number of slots; 0 means no limit
	rounds              int        // number of ballots that it may still begin
	step                int        // the distance between two of its ballots
	ballot              int
	promised            []sim.Addr
	highest             map[int]vote      // by slot: the vote with the highest ballot in the promises
	next                int               // the first free slot, counted from 1
	pending             []service.Command // commands that have no slot yet
	open                map[int]*slot
}

// slot is a slot of the log that is being decided.
type slot struct {
	value service.Command
	by    []sim.Addr // the acceptors that have accepted its value; empty once they are a majority
}

var proposers = machine.Define("proposer",
	machine.State[*proposer]{Name: idle, On: machine.On(machine.OnSignal((*proposer).propose).Goto(preparing))},
	machine.State[*proposer]{
		Name: preparing, Entry: (*proposer).campaign,
		On:     machine.On(machine.OnMessage((*proposer).promise).May(leading), machine.OnMessage((*proposer).refuse).May(waiting)),
		Ignore: machine.Messages(accepted{}),
		Defer:  machine.Signals(propose{}),
	},
	machine.State[*proposer]{
		Name: leading, Entry: (*proposer).lead,
		On: machine.On(
			machine.OnMessage((*proposer).accepted), machine.OnMessage((*proposer).refuse).May(waiting), machine.OnSignal((*proposer).more),
		),
		Ignore: machine.Messages(promise{}),
	},
	machine.State[*proposer]{
		Name: waiting, Entry: (*proposer).wait,
		Goto:   map[machine.Name][]machine.Event{preparing: machine.Signals(retry{})},
		Ignore: machine.Messages(promise{}, refuse{}, accepted{}),
		Defer:  machine.Signals(propose{}),
	},
)

func (p *proposer) propose(env sim.Env, m propose) {
	p.pending = append(p.pending, m.Value)
	p.emit(env, Proposed(m))
}

// emit emits a fact for the monitors of System. A proposer in a replica emits nothing, since no
// monitor watches it.
func (p *proposer) emit(env sim.Env, fact any) {
	if p.log == nil {
		env.Emit(fact)
	}
}

// bug reports whether a known bug is switched on. Only proposers of System have these bugs.
func (p *proposer) bug(env sim.Env, id sim.BugID) bool { return p.log == nil && env.Bug(id) }

// campaign asks the acceptors for promises for the proposer's next ballot.
func (p *proposer) campaign(env sim.Env) {
	p.rounds--
	for p.ballot += p.step; p.own != nil && p.ballot < p.own.promised; {
		p.ballot += p.step
	}
	p.promised, p.highest = nil, map[int]vote{}
	m := prepare{p.ballot, p.learnt()}
	p.toAcceptors(env, m)
	if p.own != nil {
		p.promise(env, env.Self(), p.own.promise(m))
	}
}

// learnt returns the number of slots, from the first one on, that the proposer's own log has
// applied.
func (p *proposer) learnt() int {
	if p.log == nil {
		return 0
	}
	return p.log.learnt
}

func (p *proposer) toAcceptors(env sim.Env, m sim.Message) {
	for _, a := range p.acceptors {
		env.Bag().Send(a, m)
	}
}

// enough reports whether the acceptors in by, together with the proposer's own, are a majority.
func (p *proposer) enough(env sim.Env, by []sim.Addr) bool {
	n := len(p.acceptors)
	if p.own != nil {
		n++
	}
	switch {
	case p.bug(env, MP3):
		return len(by) >= n/2
	case p.bug(env, MP7):
		return len(by) == n
	default:
		return len(by) > n/2
	}
}

func (p *proposer) promise(env sim.Env, from sim.Addr, m promise) {
	if m.Ballot != p.ballot {
		return // of a ballot before
	}
	for _, v := range m.Accepted {
		other, known := p.highest[v.Slot]
		if (!known || (v.Ballot > other.Ballot) != p.bug(env, MP4)) && !p.bug(env, MP2) {
			p.highest[v.Slot] = v
		}
	}
	p.promised = inserted(p.promised, from)
	if p.enough(env, p.promised) {
		p.promised = nil
		p.Goto(leading)
	}
}

func (p *proposer) refuse(_ sim.Env, _ sim.Addr, m refuse) {
	if m.Promised > p.ballot {
		p.Goto(waiting)
	}
}

// lead proposes once more the values that may have been chosen, and then the pending commands.
func (p *proposer) lead(env sim.Env) {
	for _, n := range sim.Keys(p.open) {
		if s := p.open[n]; s.by != nil && s.value != (service.Command{}) && s.value != p.highest[n].Value {
			p.pending = append(p.pending, s.value) // it was proposed, and cannot have been chosen
		}
	}
	p.open, p.next = map[int]*slot{}, p.learnt()+1
	for _, n := range sim.Keys(p.highest) {
		p.pending = without(p.pending, p.highest[n].Value)
		if n < p.next {
			continue // learnt meanwhile
		}
		for ; p.next < n && !p.bug(env, MP8); p.next++ {
			p.begin(env, p.next, service.Command{})
		}
		p.begin(env, n, p.highest[n].Value)
		p.next = n + 1
	}
	p.highest = nil
	p.assign(env)
}

func (p *proposer) more(env sim.Env, m propose) {
	p.propose(env, m)
	p.assign(env)
}

// assign gives each pending command the next free slot. When no slot is left, it drops the other commands.
func (p *proposer) assign(env sim.Env) {
	pending := p.pending
	p.pending = nil
	for _, value := range pending {
		if p.slots == 0 || p.next <= p.slots {
			p.next++
			p.begin(env, p.next-1, value)
		}
	}
}

func (p *proposer) begin(env sim.Env, n int, value service.Command) {
	p.open[n] = &slot{value, []sim.Addr{}}
	m := accept{n, p.ballot, value}
	p.toAcceptors(env, m)
	if p.own != nil && p.own.accept(m) {
		p.accepted(env, env.Self(), accepted(m))
	}
}

func (p *proposer) accepted(env sim.Env, from sim.Addr, m accepted) {
	s := p.open[m.Slot]
	if m.Ballot != p.ballot || s == nil || s.by == nil {
		return
	}
	s.by = inserted(s.by, from)
	if !p.enough(env, s.by) {
		return
	}
	s.by = nil
	p.emit(env, Chosen{m.Slot, s.value})
	for _, l := range p.learners {
		env.Bag().Send(l, decided{m.Slot, s.value})
	}
	if p.log != nil {
		p.answer(env, p.log.learn(decided{m.Slot, s.value}))
	}
}

// answer sends the answers to the commands in applied. It omits a command if a later command of the same
// client was applied, too.
func (p *proposer) answer(env sim.Env, applied []service.Command) {
	for _, c := range applied {
		if a, known := p.log.answers[c.Client]; known && c.Same(a.Command) {
			a.Send(env)
		}
	}
}

func (p *proposer) wait(env sim.Env) {
	if p.rounds > 0 {
		env.After(time.Second, retry{})
	}
}

// inserted returns the set with a added. Sets are sorted.
func inserted(set []sim.Addr, a sim.Addr) []sim.Addr {
	k, there := slices.BinarySearchFunc(set, a, sim.Addr.Compare)
	if there {
		return set
	}
	return slices.Insert(slices.Clone(set), k, a)
}

func without(values []service.Command, value service.Command) []service.Command {
	return slices.DeleteFunc(slices.Clone(values), value.Same)
}

// A voter is the state of an acceptor: the ballot that it has promised, below which it accepts
// nothing, and its votes.
type voter struct {
	promised int
	votes    map[int]vote // by slot
}

func (v *voter) promise(m prepare) promise {
	v.promised = m.Ballot
	var all []vote
	for _, n := range sim.Keys(v.votes) {
		if n > m.After {
			all = append(all, v.votes[n])
		}
	}
	return promise{m.Ballot, all}
}

// accept reports whether the voter accepts a value, and records the vote if it does.
func (v *voter) accept(m accept) bool {
	if m.Ballot < v.promised {
		return false
	}
	v.promised, v.votes[m.Slot] = m.Ballot, vote(m)
	return true
}

// An acceptor is a node with a voter.
type acceptor struct {
	machine.Core
	voter
}

var acceptors = machine.Define("acceptor",
	machine.State[*acceptor]{Name: open, On: machine.On(machine.OnMessage((*acceptor).prepared), machine.OnMessage((*acceptor).asked))},
)

func (v *voter) prepared(env sim.Env, from sim.Addr, m prepare) {
	if m.Ballot < v.promised {
		env.Bag().Send(from, refuse{v.promised})
		return
	}
	env.Bag().Send(from, v.promise(m))
}

func (v *voter) asked(env sim.Env, from sim.Addr, m accept) {
	if v.accept(m) {
		env.Bag().Send(from, accepted(m))
	} else {
		env.Bag().Send(from, refuse{v.promised})
	}
}

func (a *acceptor) asked(env sim.Env, from sim.Addr, m accept) {
	if env.Bug(MP1) {
		a.promised = min(a.promised, m.Ballot)
	}
	a.voter.asked(env, from, m)
}

// A log applies the decided commands to a learner in the order of the slots.
type log struct {
	learner service.Learner
	answers service.Answers // nil in System, where a client's commands may be decided in any order
	slots   map[int]service.Command
	learnt  int // number of slots that are applied
}

// learn records that a slot was decided, and returns the commands that were applied because of
// that.
func (l *log) learn(m decided) (applied []service.Command) {
	l.slots[m.Slot] = m.Value
	for c, known := l.slots[l.learnt+1]; known; c, known = l.slots[l.learnt+1] {
		l.learnt++
		l.apply(c)
		applied = append(applied, c)
	}
	return applied
}

// apply applies a command, unless it was applied before: a command may be decided in two slots
// if two leaders were asked for it.
func (l *log) apply(c service.Command) {
	switch {
	case l.answers == nil:
		l.learner.Apply(c)
	case c != (service.Command{}) && !l.answers.Has(c):
		l.answers[c.Client] = service.Answered{Command: c, Value: l.learner.Apply(c)}
	}
}

// A learner is a node with a log.
type learner struct {
	machine.Core
	log
}

var learners = machine.Define("learner", machine.State[*learner]{Name: open, On: machine.On(machine.OnMessage((*learner).decided))})

func (l *learner) decided(_ sim.Env, _ sim.Addr, m decided) { l.learn(m) }

// applied returns the commands that the learner has applied.
func (l *learner) applied() []service.Command { return l.learner.(*service.Log).Commands }
