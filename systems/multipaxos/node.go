package multipaxos

import (
	"slices"
	"time"

	"macemc/layers/machine"
	"macemc/sim"
)

type propose struct{ Value int } // the application's request

// A vote is what an acceptor has accepted in a slot. Value 0 is nothing, for holes.
type vote struct{ Slot, Ballot, Value int }

type ( // messages
	prepare struct{ Ballot int }
	promise struct {
		Ballot   int
		Accepted []vote // by slot
	}
	refuse   struct{ Promised int }
	accept   vote
	accepted vote
	decided  struct{ Slot, Value int }
)

type retry struct{} // a timer

// The facts for the monitor.
type (
	Proposed struct{ Value int }
	Chosen   struct{ Slot, Value int }
)

const (
	idle      machine.Name = "idle"
	preparing machine.Name = "preparing"
	leading   machine.Name = "leading"
	waiting   machine.Name = "waiting"
	open      machine.Name = "open"
)

// A proposer leads by a ballot of its own.
type proposer struct {
	machine.Core
	acceptors, learners []sim.Addr
	slots               int // the number of slots; 0 means that it is not limited
	rounds              int // ballots that it may still begin
	step                int // between its ballots
	ballot              int
	promised            []sim.Addr
	highest             map[int]vote // by slot, of the promises
	next                int          // the first free slot, from 1
	pending             []int        // values that have no slot
	open                map[int]*slot
}

// slot is one that is being decided.
type slot struct {
	value int
	by    []sim.Addr // the acceptors that have accepted it; empty once they are enough
}

var proposers = machine.Define("proposer",
	machine.State[*proposer]{Name: idle, On: machine.On(machine.OnSignal((*proposer).propose).Goto(preparing))},
	machine.State[*proposer]{
		Name: preparing, Entry: (*proposer).prepare,
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
	env.Emit(Proposed(m))
}

func (p *proposer) prepare(env sim.Env) {
	p.rounds--
	p.ballot += p.step
	p.promised, p.highest = nil, map[int]vote{}
	p.toAcceptors(env, prepare{p.ballot})
}

func (p *proposer) toAcceptors(env sim.Env, m sim.Message) {
	for _, a := range p.acceptors {
		env.Bag().Send(a, m)
	}
}

// enough is a majority.
func (p *proposer) enough(env sim.Env, by []sim.Addr) bool {
	switch n := len(p.acceptors); {
	case env.Bug(MP3):
		return len(by) >= n/2
	case env.Bug(MP7):
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
		if (!known || (v.Ballot > other.Ballot) != env.Bug(MP4)) && !env.Bug(MP2) {
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

// lead has accepted again what may be chosen, and then what is pending.
func (p *proposer) lead(env sim.Env) {
	for _, n := range sim.Keys(p.open) {
		if s := p.open[n]; s.by != nil && s.value != 0 && s.value != p.highest[n].Value {
			p.pending = append(p.pending, s.value) // it was proposed, and cannot have been chosen
		}
	}
	p.open, p.next = map[int]*slot{}, 1
	for _, n := range sim.Keys(p.highest) {
		for ; p.next < n && !env.Bug(MP8); p.next++ {
			p.begin(env, p.next, 0)
		}
		p.begin(env, n, p.highest[n].Value)
		p.pending = without(p.pending, p.highest[n].Value)
		p.next = n + 1
	}
	p.highest = nil
	p.assign(env)
}

func (p *proposer) more(env sim.Env, m propose) {
	p.propose(env, m)
	p.assign(env)
}

// assign gives slots to what is pending, as long as there are some.
func (p *proposer) assign(env sim.Env) {
	for _, value := range p.pending {
		if p.slots == 0 || p.next <= p.slots {
			p.begin(env, p.next, value)
			p.next++
		}
	}
	p.pending = nil
}

func (p *proposer) begin(env sim.Env, n, value int) {
	p.open[n] = &slot{value, []sim.Addr{}}
	p.toAcceptors(env, accept{n, p.ballot, value})
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
	env.Emit(Chosen{m.Slot, s.value})
	for _, l := range p.learners {
		env.Bag().Send(l, decided{m.Slot, s.value})
	}
}

func (p *proposer) wait(env sim.Env) {
	if p.rounds > 0 {
		env.After(time.Second, retry{})
	}
}

// inserted returns a set with one more.
func inserted(set []sim.Addr, a sim.Addr) []sim.Addr {
	k, there := slices.BinarySearchFunc(set, a, sim.Addr.Compare)
	if there {
		return set
	}
	return slices.Insert(slices.Clone(set), k, a)
}

func without(values []int, value int) []int {
	return slices.DeleteFunc(slices.Clone(values), func(v int) bool { return v == value })
}

// An acceptor promises to accept nothing below a ballot.
type acceptor struct {
	machine.Core
	promised int
	votes    map[int]vote // by slot
}

var acceptors = machine.Define("acceptor",
	machine.State[*acceptor]{Name: open, On: machine.On(machine.OnMessage((*acceptor).prepare), machine.OnMessage((*acceptor).accept))},
)

func (a *acceptor) prepare(env sim.Env, from sim.Addr, m prepare) {
	if m.Ballot < a.promised {
		env.Bag().Send(from, refuse{a.promised})
		return
	}
	a.promised = m.Ballot
	var all []vote
	for _, n := range sim.Keys(a.votes) {
		all = append(all, a.votes[n])
	}
	env.Bag().Send(from, promise{m.Ballot, all})
}

func (a *acceptor) accept(env sim.Env, from sim.Addr, m accept) {
	if m.Ballot < a.promised && !env.Bug(MP1) {
		env.Bag().Send(from, refuse{a.promised})
		return
	}
	a.promised, a.votes[m.Slot] = m.Ballot, vote(m)
	env.Bag().Send(from, accepted(m))
}

// A learner applies what is decided, in order.
type learner struct {
	machine.Core
	log     map[int]int // by slot
	applied []int
}

var learners = machine.Define("learner", machine.State[*learner]{Name: open, On: machine.On(machine.OnMessage((*learner).decided))})

func (l *learner) decided(_ sim.Env, _ sim.Addr, m decided) {
	l.log[m.Slot] = m.Value
	for value, known := l.log[len(l.applied)+1]; known; value, known = l.log[len(l.applied)+1] {
		l.applied = append(l.applied, value)
	}
}
