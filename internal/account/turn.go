package account

import (
	"macemc/trace"
)

// Turn says at which step the failure of a finding became inevitable, and how that is known.
type Turn uint8

// The turns. In these comments, "too late" means for a dead run that it can no longer recover, for a run that
// stays hot that a fair run need no longer become cold, and for other findings that the failure can no longer
// be avoided.
const (
	TurnUnknown  Turn = iota // no critical step was found, or none was looked for
	TurnHopeless             // no walk from any state of the run avoids the failure: it is as good as certain from the start
	TurnUnclear              // there is no step after which clearly fewer walks avoid the failure than before it
	TurnBegins               // the failure happens in the starts of the nodes, with which every run begins
	TurnAlways               // it was too late from the start, as is known exactly
	TurnSeems                // walks suggest that it was too late from the start
	TurnLast                 // in the last step: the failure could be avoided until it happened
	TurnExact                // in a step, as is known exactly
	TurnWalks                // in a step: walks show that it was not too late before, and none that it is not after
	TurnFewer                // in a step: clearly fewer walks avoid the failure after it than before it
)

// Turn returns at which step the failure of the finding became inevitable, and how that is known.
func (a *Account) Turn() Turn {
	f := a.Finding
	c, v := f.Critical, f.Avoided
	switch {
	case c == nil && (v == nil || a.Dead()):
		return TurnUnknown
	case c == nil && v.Step == 0 && v.Before == 0:
		return TurnHopeless
	case c == nil:
		return TurnUnclear
	case c.Step == 0 && a.Dead() && !c.Exact:
		return TurnSeems
	case c.Step == 0 && f.Step == 0 && !a.Dead() && !a.Hot():
		return TurnBegins
	case c.Step == 0:
		return TurnAlways
	case c.Step == f.Step && !a.Dead() && !a.Hot():
		return TurnLast
	case c.Exact:
		return TurnExact
	case a.Dead() || a.Hot() || v != nil && v.After == 0:
		return TurnWalks
	default:
		return TurnFewer
	}
}

// FromStart reports whether, as far as is known, it was too late from the start of the run.
func (t Turn) FromStart() bool {
	return t == TurnBegins || t == TurnAlways || t == TurnSeems || t == TurnHopeless
}

// In reports whether the failure became inevitable in a step of the run.
func (t Turn) In() bool { return t >= TurnLast }

// Turned returns the number of the critical step of the finding, or of its last step if there is no critical
// one.
func (a *Account) Turned() int {
	if c := a.Finding.Critical; c != nil && c.Step > 0 {
		return c.Step
	}
	return a.Finding.Step
}

// Basis is a set of reasons to believe the verdict and the critical step of a finding.
type Basis uint8

// The reasons. A finding may rest on several.
const (
	BasisProved   Basis = 1 << iota // all states that can still follow without faults were visited
	BasisRecorded                   // the recorded path states the decision, which was not made again
	BasisWalks                      // by fresh walks: see search.Finding.Evidence for a dead run, and Avoided for others
	BasisWitness                    // a walk from before the critical step became live
	BasisDoubt                      // something speaks against the critical step: see decide.Critical.Doubt
)

// Basis returns the reasons to believe the finding: for a dead run, those for the verdict and for the critical
// step; for others, those for the critical step alone. It is 0 if there is no evidence.
func (a *Account) Basis() (b Basis) {
	f := a.Finding
	c, e := f.Critical, f.Evidence
	if f.Verdict != trace.VerdictDead {
		switch {
		case c != nil && c.Exact:
			return BasisProved
		case f.Avoided != nil:
			return BasisWalks
		case c != nil:
			return BasisRecorded
		}
		return 0
	}
	if f.Proved {
		b |= BasisProved
	}
	if e != nil {
		b |= BasisWalks
		if c != nil && c.Exact && !f.Proved { // this is a replay: in a search, a dead run with an exact step is proved
			b |= BasisRecorded
		}
	}
	if c != nil && c.Witness != nil {
		b |= BasisWitness
	}
	if c != nil && c.Doubt != "" {
		b |= BasisDoubt
	}
	return b
}
