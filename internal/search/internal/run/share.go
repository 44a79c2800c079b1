package run

import (
	"cmp"
	"math"
)

// A share of the steps of each phase of the search is audited: taken twice, in lockstep, with a
// check that only the acting node changed. The share is counted in steps, since runs may be short or
// long. The first auditLeast steps are all audited, since a small space may have no more.
const (
	auditEvery = 64
	auditLeast = 1000
)

// The engines local and memo take a step in a fraction of the time of an audited step. The fraction
// is smaller for larger states, since an audit traverses the whole state repeatedly, and a step that
// memo looks up traverses nothing. So with these engines audits get a share of the work, not of the
// steps: one part in auditShare. An audited step is assumed to be as much work as a number of other
// steps:
const (
	auditShare = 20

	auditLocal      = 8   // of local: this many,
	auditLocalLines = 200 // plus one for each auditLocalLines lines of the first state
	auditMemo       = 100 // of memo: this many,
	auditMemoLines  = 3   // plus this many for each line of the first state

	// The first steps are audited, whatever the share: as many as are worth auditLeastWork steps
	// of memo, but at least auditLeastHeavy.
	auditLeastWork  = 100_000
	auditLeastHeavy = 32
)

// Share decides which runs of a phase are audited (taken twice, in lockstep), so that a given
// share of the steps is.
type Share struct {
	Steps, audited int
	Every          int // one in this many steps is audited; 0 means auditEvery
	Least          int // this many steps are audited first, whatever the share; 0 means auditLeast
}

// Weigh sets how often steps are audited, for the engine memo if memo is true and otherwise for
// local. lines is the number of lines of the system's first state. Weigh does not raise Least.
func (s *Share) Weigh(memo bool, lines int) {
	work := auditMemo + auditMemoLines*lines
	s.Every = auditShare * work
	s.Least = min(cmp.Or(s.Least, auditLeast), max(auditLeastHeavy, auditLeastWork/work))
	if !memo {
		s.Every = auditShare * (auditLocal + lines/auditLocalLines)
	}
}

// Due reports whether the next run should be audited.
func (s *Share) Due() bool {
	return s.audited < max(cmp.Or(s.Least, auditLeast), s.Steps/cmp.Or(s.Every, auditEvery))
}

// Stride returns the distance between audited runs among the next n runs, or 0 if none of them needs
// to be audited. The argument before is the number of runs so far; Stride assumes that the next runs
// are on average as long as those. The distance is odd, since runs whose numbers differ by a power
// of two may be alike.
func (s *Share) Stride(n, before int) int {
	steps := n * (s.Steps / max(1, before))
	due := max(cmp.Or(s.Least, auditLeast), (s.Steps+steps)/cmp.Or(s.Every, auditEvery)) - s.audited
	if due <= 0 {
		return 0
	}
	return max(1, steps/due) | 1
}

// Counts returns the numbers of steps and of audited steps so far. ShareOf makes a share that
// continues from them.
func (s *Share) Counts() (steps, audited int) { return s.Steps, s.audited }

// Add counts steps, some of them audited, that another process took.
func (s *Share) Add(steps, audited int) { s.Steps, s.audited = s.Steps+steps, s.audited+audited }

// GoOn continues from the counts of another share.
func (s *Share) GoOn(from Share) {
	from.Every, from.Least = s.Every, s.Least
	*s = from
}

// ShareOf returns a Share in which these steps, some of them audited, were taken before.
func ShareOf(steps, audited int) Share { return Share{Steps: steps, audited: audited} }

// NoShare returns a Share by which no run is audited.
func NoShare() Share { return Share{audited: 2, Every: math.MaxInt, Least: 1} }

// Took counts a run of this many steps. If careful is true, the run was audited.
func (s *Share) Took(steps int, careful bool) {
	s.Steps += steps
	if careful {
		s.audited += steps + 1 // a start is a step here, so that runs without any come to an end
	}
}
