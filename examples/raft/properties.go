package raft

import (
	"fmt"
	"slices"
	"strings"

	"macemc/sim"
)

type view = sim.View[*server]

// leaders is the memory of a monitor: the elected server of each term.
type leaders struct{ of map[uint64]sim.Addr }

// Init begins a run.
func (l *leaders) Init() { l.of = map[uint64]sim.Addr{} }

func oneLeader(l *leaders, at sim.Addr, fact any) error {
	if f, ok := fact.(elected); ok {
		if other, ok := l.of[f.term]; ok && other != at {
			return fmt.Errorf("%s is the leader of term %d, and so was %s", at, f.term, other)
		}
		l.of[f.term] = at
	}
	return nil
}

func wasElected(l *leaders, at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case elected:
		l.of[f.term] = at
	case followed:
		switch lead, ok := l.of[f.term]; {
		case !ok:
			return fmt.Errorf("%s follows %s in term %d, in which nobody was elected", at, f.lead, f.term)
		case lead != f.lead:
			return fmt.Errorf("%s follows %s in term %d, in which %s was elected", at, f.lead, f.term, lead)
		}
	}
	return nil
}

// promises is the memory of a monitor: the commands that were acknowledged, so that clients rely on
// finding them in the log from then on.
type promises struct {
	term uint64 // of the newest leader
	kept map[string]bool
}

// Init begins a run.
func (p *promises) Init() { p.kept = map[string]bool{} }

// writesSurvive examines the log of each leader when its term begins, unless there is a newer leader. The
// commands that were acknowledged until then were committed by earlier leaders, and must be in the log.
func writesSurvive(p *promises, at sim.Addr, fact any) error {
	switch f := fact.(type) {
	case acknowledged:
		p.kept[f.command] = true
	case leading:
		if f.term <= p.term {
			return nil
		}
		p.term = f.term
		log := strings.Split(f.log, "\n")
		for _, command := range sim.Keys(p.kept) {
			if !slices.Contains(log, command) {
				return fmt.Errorf("%s leads in term %d without %q, which was acknowledged", at, f.term, command)
			}
		}
	}
	return nil
}

// chronicle is the memory of a monitor: for each index, the first entry that any server has applied there in
// any life.
type chronicle struct{ at map[uint64]applied }

// Init begins a run.
func (c *chronicle) Init() { c.at = map[uint64]applied{} }

func appliedAgree(c *chronicle, at sim.Addr, fact any) error {
	f, ok := fact.(applied)
	if !ok {
		return nil
	}
	first, ok := c.at[f.index]
	if !ok {
		c.at[f.index] = f
		return nil
	}
	if first != f {
		return fmt.Errorf("%s applied %q of term %d at index %d, where %q of term %d was applied before",
			at, f.command, f.term, f.index, first.command, first.term)
	}
	return nil
}

// logsMatch reports whether every two logs that have an entry of the same index and term are equal up to that
// entry. They are if all are parts of the longest one, as they mostly are.
func logsMatch(v view) bool {
	var long *server
	for _, s := range v.Nodes() {
		if long == nil || s.end() > long.end() {
			long = s
		}
	}
	for _, s := range v.Nodes() {
		if s != long && !s.isPartOf(long) {
			return differ(v) == ""
		}
	}
	return true
}

// isPartOf reports whether the server's log is a part of that of another, which ends no earlier.
func (s *server) isPartOf(long *server) bool {
	return s.base >= long.base && (len(s.saved) == 0 || slices.Equal(s.saved, long.saved[s.base-long.base:][:len(s.saved)]))
}

func explainLogs(v view) string { return differ(v) }

func differ(v view) string {
	for a, s := range v.Nodes() {
		for b, other := range v.Nodes() {
			if a == b {
				break
			}
			if at := s.parts(other); at > 0 {
				m, o := s.saved[at-s.base-1], other.saved[at-other.base-1]
				return fmt.Sprintf("the logs of %s and %s differ at index %d, and not in a term further on: %q of term %d, and %q of term %d",
					b, a, at, o.data, o.term, m.data, m.term)
			}
		}
	}
	return ""
}

// parts returns the last index at which the logs of two servers break the rule of logsMatch: their entries
// there differ, but have the same term, or a later entry is the same in both. It returns 0 if there is none.
func (s *server) parts(other *server) uint64 {
	base := max(s.base, other.base)
	n := int(min(s.end(), other.end()) - base)
	if n <= 0 {
		return 0
	}
	all, others := s.saved[base-s.base:][:n], other.saved[base-other.base:][:n]
	for i, same := n-1, false; i >= 0; i-- {
		if m, o := &all[i], &others[i]; m.term == o.term && m.data == o.data {
			same = true
		} else if same || m.term == o.term {
			return base + uint64(i) + 1
		}
	}
	return 0
}

// end returns the index of the last entry in the server's log.
func (s *server) end() uint64 { return s.base + uint64(len(s.saved)) }

// leader returns the leader of the newest term that is a voter in its own configuration, or nil if
// there is none. Its configuration says who the other members are.
func leader(v view) (lead *server) {
	for _, s := range v.Nodes() {
		if s.leads && slices.Contains(s.conf.Voters, s.id) && (lead == nil || s.term > lead.term) {
			lead = s
		}
	}
	return lead
}

// members returns true if there is a leader, and holds returns true for each member that is up. The
// members are those of the leader's configuration.
func members(v view, holds func(s, lead *server) bool) bool {
	lead := leader(v)
	if lead == nil {
		return false
	}
	for _, s := range v.Nodes() {
		if lead.counts(s.id) && !holds(s, lead) {
			return false
		}
	}
	return true
}

// counts reports whether the server with this id is a member, according to the configuration of s.
func (s *server) counts(id uint64) bool {
	return slices.Contains(s.conf.Voters, id) || slices.Contains(s.conf.Outgoing, id) ||
		slices.Contains(s.conf.Learners, id) || slices.Contains(s.conf.Next, id)
}

func ledByOne(v view) bool {
	return members(v, func(s, lead *server) bool { return s.lead == lead.id && s.term == lead.term })
}

func explainLed(v view) string {
	var all []string
	for a, s := range v.Nodes() {
		switch {
		case s.leads:
			all = append(all, fmt.Sprintf("%s leads in term %d", a, s.term))
		case s.lead == 0:
			all = append(all, fmt.Sprintf("%s knows no leader in term %d", a, s.term))
		default:
			all = append(all, fmt.Sprintf("%s follows %s in term %d", a, s.all[s.lead-1], s.term))
		}
	}
	return strings.Join(all, "; ")
}

// allApplied reports whether each member that is up has applied all commands that clients requested of
// members which are up. Other commands need not be applied: a server that was removed cannot have them
// replicated, and a server that is down may be the only one that knows them.
func allApplied(v view) bool {
	return members(v, func(s, lead *server) bool {
		for i := range lead.proposals {
			if s.has(commandNames[i]) {
				continue
			}
			if asked := i % len(lead.all); lead.counts(uint64(asked)+1) && isUp(v, lead.all[asked]) {
				return false
			}
		}
		return true
	})
}

func explainApplied(v view) string {
	var all []string
	for a, s := range v.Nodes() {
		all = append(all, fmt.Sprintf("%s applied %q of %d commands", a, s.log, s.proposals))
	}
	return strings.Join(all, "; ")
}

func allAnswered(v view) bool {
	return members(v, func(s, _ *server) bool { return len(s.looks) == 0 })
}

func explainLooks(v view) string {
	var all []string
	for a, s := range v.Nodes() {
		if len(s.looks) > 0 {
			all = append(all, fmt.Sprintf("%s has not answered %d reads", a, len(s.looks)))
		}
	}
	return strings.Join(all, "; ")
}

// settled reports whether the changes of the members are completed: each member that is up knows the
// members that are wanted, and has no joint configuration. The first server asks for the changes; if it is
// down, settled requires only that there is a leader.
func settled(v view) bool {
	return !isUp(v, v.Params().Addr(0)) && leader(v) != nil || members(v, func(s, _ *server) bool {
		_, done := s.next()
		return done && len(s.conf.Outgoing) == 0
	})
}

func explainMembers(v view) string {
	var all []string
	for a, s := range v.Nodes() {
		all = append(all, fmt.Sprintf("%s knows the members %s", a, s.conf))
	}
	return strings.Join(all, "; ")
}

// isUp reports whether the server at an address is up.
func isUp(v view, at sim.Addr) bool {
	_, up := v.At(at)
	return up
}

// enough is the condition under which liveness is promised. Take each configuration of a server that is up
// and votes: a majority of its voters must be up and not know that it was removed. This includes the
// configuration of a server that is behind, since possibly nobody is left who can send it a later one.
// Voters that know of their removal do not count: one of them may have the longest log, and then it neither
// votes for another nor stands for election.
func enough(v view) bool {
	voting := false
	for _, s := range v.Nodes() {
		if !s.votes() {
			continue
		}
		voting = true
		for _, voters := range [][]uint64{s.conf.Voters, s.conf.Outgoing} {
			up := 0
			for _, id := range voters {
				if voter, ok := v.At(s.all[id-1]); ok && !voter.removed() {
					up++
				}
			}
			if len(voters) > 0 && up <= len(voters)/2 {
				return false
			}
		}
	}
	return voting
}

// bounded reports whether the exhaustive phase goes on from a state. It does not if a server has a
// term above the parameter Terms, or if more than two messages wait for the next Ready of a server.
// Without the second condition there would be states without end, since a heartbeat's timer may
// fire again and again before a server is done with a Ready.
func bounded(v view) bool {
	for _, s := range v.Nodes() {
		if s.terms == 0 {
			return true
		}
		if term, _ := s.node.Role(); term > s.terms || s.node.Waiting() > 2 {
			return false
		}
	}
	return true
}
