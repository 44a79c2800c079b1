package raft

import (
	"fmt"
	"slices"

	"macemc/examples/raft/core"
)

// The members are changed by the first server, which says again what is missing until
// nothing is: next tells what.

func (s *server) last() uint64 { return uint64(len(s.all)) }

// first returns the ids of the servers that are voters when a run begins.
func first(members string, n int) (ids []uint64) {
	switch members {
	case "learner", "joint", "leave", "replace":
		n--
	}
	for i := range n {
		ids = append(ids, uint64(i)+1)
	}
	return ids
}

// next returns the change of the members to propose now. done is true if the set of members is already the
// one that is wanted. The change is zero while there is nothing to propose, since raft itself will leave a
// joint configuration.
func (s *server) next() (c core.Change, done bool) {
	has := func(id uint64) bool { return slices.Contains(s.conf.Voters, id) }
	joint := len(s.conf.Outgoing) > 0
	last := s.last()
	switch s.members {
	case "fixed":
		return c, true
	case "learner":
		switch {
		case has(last):
			return c, true
		case slices.Contains(s.conf.Learners, last):
			return core.Change{Add: []uint64{last}}, false
		default:
			return core.Change{Learn: []uint64{last}}, false
		}
	case "replace": // one change after the other
		if !has(last) {
			return core.Change{Add: []uint64{last}}, false
		}
		return core.Change{Remove: []uint64{2}}, !has(2)
	case "remove":
		return core.Change{Remove: []uint64{last}}, !has(last)
	}
	if joint {
		return core.Change{Leave: s.members == "leave"}, false
	}
	switch s.members {
	case "shrink":
		return core.Change{Remove: []uint64{last - 1, last}, Joint: true}, !has(last) && !has(last-1)
	case "joint", "leave": // the last for the second
		return core.Change{Add: []uint64{last}, Remove: []uint64{2}, Joint: true, Stay: s.members == "leave"}, has(last) && !has(2)
	default:
		panic(fmt.Sprintf("raft: no case for members=%s", s.members))
	}
}
