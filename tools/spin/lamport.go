package main

import (
	"fmt"

	"macemc/sim"
)

// Lamport's Paxos, as in its specification in TLA+: ballots without proposers, a set in which each
// message stays once it was sent, and several possible values. A vote is encoded as 4 times its
// ballot plus its value, or 0 if there is none.
const (
	acceptors = 3
	values    = 2
	ballots   = 4 // the largest number of ballots
)

var ballotsParam = &sim.Param{Name: "ballots", Doc: "how many ballots there are", Range: sim.Range{Default: 2, Least: 1, Most: ballots}}

// majority reports whether at least two bits are set.
func majority(bits uint8) bool { return bits&(bits-1) != 0 }

// overSet is the protocol as nodes that exchange messages over a set: one leader for each ballot,
// which records the promises that it receives, and acceptors.
var overSet = &sim.System{
	Name:   "lamport-set",
	Doc:    "Lamport's Paxos over a set of messages, a leader for each ballot. No two values are chosen.",
	Params: []*sim.Param{ballotsParam},
	Nodes: func(p sim.Params) sim.Range {
		n := p.Int(ballotsParam) + acceptors
		return sim.Range{Default: n, Least: n, Most: n}
	},
	New: func(p sim.Params, self sim.Addr) sim.Node {
		all, n := p.Addrs(), p.Int(ballotsParam)
		for i, a := range all[:n] {
			if a == self {
				return leaders.Node(&leader{ballot: uint8(i + 1), acceptors: all[n:]})
			}
		}
		for i, a := range all[n:] {
			if a == self {
				return voters.Node(&voter{bit: 1 << i})
			}
		}
		panic("a node that is none of the system's")
	},
	Properties: []sim.Property{
		sim.Monitor("no two values are chosen", (*chosen).observe),
		sim.Eventually("a ballot is led to its vote", func(v sim.View[*leader]) bool {
			for _, l := range v.Nodes() {
				if l.value != 0 {
					return true
				}
			}
			return false
		}),
	},
}

type ( // messages and facts
	prepare struct{ ballot uint8 }
	promise struct{ ballot, vote uint8 }
	propose struct{ ballot, value uint8 }
	voted   struct{ ballot, value, by uint8 }
)

// These are the actions of a leader.
type ( // actions of a leader
	begin struct{}
	lead  uint8 // the value to lead with
)

type leader struct {
	acceptors []sim.Addr
	ballot    uint8
	begun     bool
	heard     uint8
	highest   uint8
	value     uint8
}

var leaders = sim.Handle(sim.OnSignal((*leader).begin), sim.OnSignal((*leader).lead), sim.OnMessage((*leader).promised))

func (l *leader) Offers(offer func(sim.Signal)) {
	if !l.begun {
		offer(begin{})
	}
	if l.value != 0 || !majority(l.heard) {
		return
	}
	for v := lead(1); v <= values; v++ {
		if l.highest == 0 || l.highest&3 == uint8(v) {
			offer(v)
		}
	}
}

// Accepts accepts each promise once, and none after the leader has called the vote.
func (l *leader) Accepts(from sim.Addr, _ sim.Message) bool {
	return l.value == 0 && l.heard&l.bit(from) == 0
}

func (l *leader) bit(from sim.Addr) uint8 {
	for i, a := range l.acceptors {
		if a == from {
			return 1 << i
		}
	}
	return 0
}

func (l *leader) begin(env sim.Env, _ begin) {
	l.begun = true
	for _, a := range l.acceptors {
		env.Set().Send(a, prepare{l.ballot})
	}
}

func (l *leader) promised(_ sim.Env, from sim.Addr, m promise) {
	l.heard |= l.bit(from)
	l.highest = max(l.highest, m.vote)
}

func (l *leader) lead(env sim.Env, v lead) {
	l.value, l.heard, l.highest = uint8(v), 0, 0
	for _, a := range l.acceptors {
		env.Set().Send(a, propose{l.ballot, uint8(v)})
	}
}

type voter struct {
	bit      uint8
	promised uint8
	vote     uint8
}

var voters = sim.Handle(sim.OnMessage((*voter).prepare), sim.OnMessage((*voter).propose))

// Accepts accepts messages that change the voter's state.
func (v *voter) Accepts(_ sim.Addr, m sim.Message) bool {
	switch m := m.(type) {
	case prepare:
		return m.ballot > v.promised
	case propose:
		return m.ballot >= v.promised && v.vote>>2 != m.ballot
	default:
		return false
	}
}

func (v *voter) prepare(env sim.Env, from sim.Addr, m prepare) {
	v.promised = m.ballot
	env.Set().Send(from, promise{m.ballot, v.vote})
}

func (v *voter) propose(env sim.Env, _ sim.Addr, m propose) {
	v.promised, v.vote = m.ballot, m.ballot<<2|m.value
	env.Emit(voted{m.ballot, m.value, v.bit})
}

// chosen is the memory of a monitor. It has the acceptors that voted in each ballot, and the value
// for which a majority voted, or 0.
type chosen struct {
	votes [ballots]uint8
	value uint8
}

func (c *chosen) observe(_ sim.Addr, fact any) error {
	v, ok := fact.(voted)
	if !ok {
		return nil
	}
	c.votes[v.ballot-1] |= v.by
	if !majority(c.votes[v.ballot-1]) {
		return nil
	}
	if c.value != 0 && c.value != v.value {
		return fmt.Errorf("%d is chosen in ballot %d, and %d was before", v.value, v.ballot, c.value)
	}
	c.value = v.value
	return nil
}

// lamportSet returns the model of overSet with n nodes.
func lamportSet(n int) *model {
	m := &model{}
	m.declare("byte begun, chosen")
	m.declare("byte replies[%d], heard[%[2]d], highest[%[2]d], value[%[2]d], votes[%[2]d]", acceptors*n, n)
	m.declare("byte promised[%[1]d], vote[%[1]d]", acceptors)
	for b := range n {
		mine := 1 << b
		m.when(fmt.Sprintf("!(begun & %d)", mine), fmt.Sprintf("begun = begun | %d", mine))
		for v := 1; v <= values; v++ {
			m.when(fmt.Sprintf("value[%[1]d] == 0 && %[2]s && (highest[%[1]d] == 0 || (highest[%[1]d] & 3) == %[3]d)",
				b, several(fmt.Sprintf("heard[%d]", b)), v),
				fmt.Sprintf("value[%[1]d] = %[2]d; heard[%[1]d] = 0; highest[%[1]d] = 0", b, v))
		}
		for a := range acceptors {
			bit, reply := 1<<a, fmt.Sprintf("replies[%d]", acceptors*b+a)
			m.when(fmt.Sprintf("(begun & %d) && promised[%d] < %d", mine, a, b+1),
				fmt.Sprintf("promised[%d] = %d", a, b+1), fmt.Sprintf("%s = 1 + vote[%d]", reply, a))
			m.when(fmt.Sprintf("%s && value[%d] == 0 && !(heard[%d] & %d)", reply, b, b, bit),
				fmt.Sprintf("heard[%[1]d] = heard[%[1]d] | %[2]d", b, bit),
				fmt.Sprintf("if :: highest[%[1]d] < %[2]s-1 -> highest[%[1]d] = %[2]s-1 :: else fi", b, reply))
			m.vote(a, b)
		}
	}
	return m
}

// vote adds the rule by which acceptor a votes in ballot b, once the leader has given the ballot a
// value. If the vote makes a majority, the rule also checks that no other value was chosen before.
func (m *model) vote(a, b int) {
	m.when(fmt.Sprintf("value[%[1]d] && promised[%[2]d] <= %[3]d && (vote[%[2]d] >> 2) != %[3]d", b, a, b+1),
		fmt.Sprintf("promised[%[1]d] = %[2]d; vote[%[1]d] = %[3]d + value[%[4]d]; votes[%[4]d] = votes[%[4]d] | %[5]d", a, b+1, 4*(b+1), b, 1<<a),
		fmt.Sprintf("if :: %[1]s -> assert(chosen == 0 || chosen == value[%[2]d]); chosen = value[%[2]d] :: else fi", several(fmt.Sprintf("votes[%d]", b)), b))
}

// oneNode follows the specification word by word: all variables and the set of messages are one
// node, and each action is a signal.
var oneNode = &sim.System{
	Name:   "lamport-node",
	Doc:    "Lamport's Paxos, all of it in one node, as its specification in TLA+ is written. No two values are chosen.",
	Params: []*sim.Param{ballotsParam},
	Nodes:  func(sim.Params) sim.Range { return sim.Range{Default: 1, Least: 1, Most: 1} },
	New: func(p sim.Params, _ sim.Addr) sim.Node {
		return actions.Node(&specification{n: uint8(p.Int(ballotsParam))})
	},
	Properties: []sim.Property{
		sim.Always("no two values are chosen", func(v sim.View[*specification]) bool {
			for _, s := range v.Nodes() {
				return !s.two
			}
			return true
		}),
		sim.Eventually("a ballot is led to its vote", func(v sim.View[*specification]) bool {
			for _, s := range v.Nodes() {
				return s.value != [ballots]uint8{}
			}
			return false
		}),
	},
}

// specification holds all variables. The messages that were sent are encoded in some of them: begun
// has a bit for each ballot, replies has an acceptor's promise in a ballot with the vote in it,
// value has the value of each ballot, and votes has a bit for each acceptor.
type specification struct {
	n        uint8
	begun    uint8
	promised [acceptors]uint8
	vote     [acceptors]uint8
	replies  [ballots][acceptors]uint8
	value    [ballots]uint8
	votes    [ballots]uint8
	chosen   uint8
	two      bool // two different values were chosen
}

type ( // the actions: the ballot in the upper bits, the acceptor or the value in the lower four
	phase1a uint8
	phase1b uint8
	phase2a uint8
	phase2b uint8
)

var actions = sim.Handle(
	sim.OnSignal((*specification).phase1a), sim.OnSignal((*specification).phase1b),
	sim.OnSignal((*specification).phase2a), sim.OnSignal((*specification).phase2b),
)

func (s *specification) Offers(offer func(sim.Signal)) {
	for b := range s.n {
		if s.begun&(1<<b) == 0 {
			offer(phase1a(b << 4))
		}
		for a := range uint8(acceptors) {
			if s.begun&(1<<b) != 0 && s.promised[a] < b+1 {
				offer(phase1b(b<<4 | a))
			}
			if s.value[b] != 0 && s.promised[a] <= b+1 && s.vote[a]>>2 != b+1 {
				offer(phase2b(b<<4 | a))
			}
		}
		for v := uint8(1); v <= values; v++ {
			if s.value[b] == 0 && s.safe(b, v) {
				offer(phase2a(b<<4 | v))
			}
		}
	}
}

// safe reports whether value v may be proposed in ballot b: whether there are two acceptors that
// have promised b, and of whose votes, if they have any, the one with the highest ballot is for v.
func (s *specification) safe(b, v uint8) bool {
	r := &s.replies[b]
	for i := range r {
		for j := range i {
			if r[i] == 0 || r[j] == 0 {
				continue
			}
			if highest := max(r[i], r[j]) - 1; highest == 0 || highest&3 == v {
				return true
			}
		}
	}
	return false
}

func (s *specification) phase1a(_ sim.Env, b phase1a) { s.begun |= 1 << (b >> 4) }

func (s *specification) phase1b(_ sim.Env, of phase1b) {
	b, a := of>>4, of&15
	s.promised[a] = uint8(b) + 1
	s.replies[b][a] = 1 + s.vote[a]
}

func (s *specification) phase2a(_ sim.Env, of phase2a) { s.value[of>>4] = uint8(of & 15) }

func (s *specification) phase2b(_ sim.Env, of phase2b) {
	b, a := uint8(of>>4), of&15
	s.promised[a], s.vote[a] = b+1, (b+1)<<2|s.value[b]
	s.votes[b] |= 1 << a
	if majority(s.votes[b]) {
		s.two = s.two || s.chosen != 0 && s.chosen != s.value[b]
		s.chosen = s.value[b]
	}
}

// lamportNode returns the model of oneNode with n ballots.
func lamportNode(n int) *model {
	m := &model{}
	m.declare("byte begun, chosen")
	m.declare("byte replies[%d], value[%[2]d], votes[%[2]d]", acceptors*n, n)
	m.declare("byte promised[%[1]d], vote[%[1]d]", acceptors)
	for b := range n {
		m.when(fmt.Sprintf("!(begun & %d)", 1<<b), fmt.Sprintf("begun = begun | %d", 1<<b))
		reply := func(a int) string { return fmt.Sprintf("replies[%d]", acceptors*b+a) }
		for a := range acceptors {
			m.when(fmt.Sprintf("(begun & %d) && promised[%d] < %d", 1<<b, a, b+1),
				fmt.Sprintf("promised[%d] = %d", a, b+1), fmt.Sprintf("%s = 1 + vote[%d]", reply(a), a))
			m.vote(a, b)
		}
		for v := 1; v <= values; v++ {
			safe := "0"
			for i := range acceptors {
				for j := range i {
					safe += fmt.Sprintf(" || (%[1]s && %[2]s && ((%[1]s == 1 && %[2]s == 1) || (%[1]s >= %[2]s && ((%[1]s-1) & 3) == %[3]d) || (%[2]s > %[1]s && ((%[2]s-1) & 3) == %[3]d)))",
						reply(i), reply(j), v)
				}
			}
			m.when(fmt.Sprintf("value[%d] == 0 && (%s)", b, safe), fmt.Sprintf("value[%d] = %d", b, v))
		}
	}
	return m
}
