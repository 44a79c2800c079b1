package search

import "cmp"

// A share of the steps of each phase is audited: taken twice, in lockstep,
// with every check that nothing but the acting node changed. It is counted in
// steps, since runs may be short or long; and the first steps are audited
// whatever the share, since a small space has no more.
const (
	auditEvery = 64
	auditLeast = 1000

	// auditEveryMemo is for an engine that looks steps up: an audited step
	// costs it as much as a hundred others.
	auditEveryMemo = 2048
)

// share says which runs of a phase are to be careful.
type share struct {
	steps, audited int
	every          int // of how many steps one is audited; 0: auditEvery
}

func (s *share) due() bool { return s.audited < max(auditLeast, s.steps/cmp.Or(s.every, auditEvery)) }

func (s *share) took(steps int, careful bool) {
	s.steps += steps
	if careful {
		s.audited += steps + 1 // a start is a step here, so that runs without any come to an end
	}
}
