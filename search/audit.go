package search

// A share of the steps of each phase is audited: taken twice, in lockstep,
// with every check that nothing but the acting node changed. It is counted in
// steps, since runs may be short or long; and the first steps are audited
// whatever the share, since a small space has no more.
const (
	auditEvery = 64
	auditLeast = 1000
)

// share says which runs of a phase are to be careful.
type share struct{ steps, audited int }

func (s *share) due() bool { return s.audited < max(auditLeast, s.steps/auditEvery) }

func (s *share) took(steps int, careful bool) {
	s.steps += steps
	if careful {
		s.audited += steps + 1 // a start is a step here, so that runs without any come to an end
	}
}
