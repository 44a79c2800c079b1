package raft

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"macemc/examples/raft/core"
	"macemc/history"
	"macemc/sim"
)

// These are the requests of clients. Each is also the timer by which it is
// repeated until it is done: raft may accept a request and lose it, without
// reporting that.
type (
	propose struct{ command string } // to replicate a command
	look    struct {                 // to report whether a command is in the log
		life, n int
		command string
	}
	change struct{} // to change the set of members to the one that is wanted
	// transfer asks to make the server the leader. It is requested once, when a leader is known.
	transfer struct{ n int }
)

// clients is the memory of a server about the requests of its clients.
type clients struct {
	asked []string // commands that are not acknowledged yet
	looks []looking
}

// looking is a read that is not answered yet.
type looking struct {
	look
	index uint64 // the index that must be applied before; 0 means that it is not known yet
}

// object is the name under which the log is an object of histories. In the model of this object each
// command is a key of its own, and a read asks for one key. So the commands are checked one by one, and
// the orders in which other commands may have come need not be tried.
const object = "log"

func (s *server) propose(env sim.Env, p propose) {
	if s.logged(p.command) {
		return
	}
	if i := slices.Index(s.asked, p.command); i >= 0 && s.retry == "fresh" && p.tries() < triesMost {
		s.asked = slices.Delete(slices.Clone(s.asked), i, i+1) // it may be applied all the same
		p.command += given
	}
	if !slices.Contains(s.asked, p.command) {
		s.asked = append(s.asked, p.command)
		if s.reads > 0 {
			history.Call(env, object, p.command, history.Put{Key: p.command, Value: true})
		}
	}
	err := s.node.Propose(p.command)
	if err != nil && !errors.Is(err, core.ErrProposalDropped) {
		panic(fmt.Sprintf("raft: proposing %q: %v", p.command, err))
	}
	if err == nil && env.Bug(RF3) {
		return
	}
	env.After(askAgainAfter, p)
}

// With retry=fresh, a client that gets no answer gives its request up, and requests the same
// command under a name that ends with one more given: c1 becomes c1'. It gives up at most
// triesMost requests, and repeats the last one until it is answered.
const (
	given     = "'"
	triesMost = 2
)

// tries returns the number of requests for the same command that the client has given up before this
// one.
func (p propose) tries() int { return len(p.command) - len(p.asks()) }

// asks returns the command that the client wants, without the marks of the requests that it has given
// up.
func (p propose) asks() string { return strings.TrimRight(p.command, given) }

// has reports whether the log has the command, or the same command with the mark of a later
// request.
func (s *server) has(command string) bool {
	for _, c := range s.log {
		if c == command || len(c) > len(command) && (propose{c}).asks() == command {
			return true
		}
	}
	return false
}

// acknowledge reports to the client that its command is in the log, if the client asked this server.
func (s *server) acknowledge(env sim.Env, command string) {
	i := slices.Index(s.asked, command)
	if i < 0 {
		return
	}
	s.asked = slices.Delete(slices.Clone(s.asked), i, i+1)
	env.Emit(acknowledged{command})
	if s.reads > 0 {
		history.Return(env, object, command, nil)
	}
}

// look begins read l. It asks raft for an index; the read may be answered once the entries up to
// this index are applied. l is also the timer after which look asks again. All these calls have the
// same context, which no other read in any life has.
func (s *server) look(env sim.Env, l look) {
	i := slices.IndexFunc(s.looks, func(other looking) bool { return other.look == l })
	if i < 0 {
		i, s.looks = len(s.looks), append(s.looks, looking{look: l})
		history.Call(env, object, l, history.Get{Key: l.command})
	}
	if s.looks[i].index == 0 {
		s.node.ReadIndex(s.context(env, l))
		env.After(askAgainAfter, l)
	}
}

func (s *server) context(env sim.Env, l look) string {
	if env.Bug(RF11) { // of no other read of this life
		l.life = 0
	}
	return fmt.Sprintf("%d.%d.%d", s.id, l.life, l.n)
}

// readable handles raft's answer r to a look: the read may be answered once the index in r is applied.
func (s *server) readable(env sim.Env, r core.Read) {
	for i, l := range s.looks {
		if s.context(env, l.look) != r.Context || l.index > 0 {
			continue
		}
		s.looks = slices.Clone(s.looks)
		s.looks[i].index = max(r.Index, 1)
		env.Cancel(l.look)
	}
	s.answer(env)
}

// answer answers the reads whose index is applied by now.
func (s *server) answer(env sim.Env) {
	if len(s.looks) == 0 {
		return
	}
	var rest []looking
	for _, l := range s.looks {
		if l.index == 0 || l.index > s.applied && !env.Bug(RF10) {
			rest = append(rest, l)
			continue
		}
		var there any
		if s.logged(l.command) {
			there = true
		}
		history.Return(env, object, l.look, there)
		if next := s.read(l.life, l.n+len(s.all)); next.command != "" {
			env.After(askAgainAfter, next)
		}
	}
	s.looks = rest
}

// read returns read number n, counted from 1, or the zero look if there are fewer reads. A server
// begins a read only when the previous one was answered, since an answer that comes late may be
// stale. If there is no leader yet, the read counts as begun when there is one.
func (s *server) read(life, n int) look {
	if n > s.reads {
		return look{}
	}
	return look{life, n, commandNames[(n-1)%max(1, s.proposals)]}
}

// transfer asks raft to make this server the leader.
func (s *server) transfer(env sim.Env, t transfer) {
	if s.lead == 0 {
		env.After(askAgainAfter, t)
		return
	}
	s.node.TransferLeader(s.id)
}

// change proposes the next change on the way to the set of members that is wanted.
func (s *server) change(env sim.Env) {
	c, done := s.next()
	if done {
		return
	}
	if c.Leave && env.Bug(RF14) {
		_ = s.node.ProposeChange(c) // raft has taken care of the rest by itself
		return
	}
	env.After(askAgainAfter, change{})
	if !c.Leave && len(c.Add)+len(c.Learn)+len(c.Remove) == 0 {
		return // it is being left
	}
	if err := s.node.ProposeChange(c); err != nil && !errors.Is(err, core.ErrProposalDropped) {
		panic(fmt.Sprintf("raft: proposing a change of the members: %v", err))
	}
}

// changed makes the first server propose the next change. Only that server does so, since a change that
// is proposed twice may undo another one that came between.
func (s *server) changed(env sim.Env) {
	if s.id != 1 || s.members == "fixed" {
		return
	}
	if _, done := s.next(); !done && !(env.Bug(RF14) && len(s.conf.Outgoing) > 0) {
		env.After(askAgainAfter, change{})
	}
}
