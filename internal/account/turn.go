package account

import (
	"macemc/trace"
)

// Turn says at which step the failure of a finding became inevitable, and how that is known.
type Turn uint8

// The turns. For a dead run, "too late" means that it can no longer recover; for a
// hot one, that a fair run need not become cold any more; for other findings, that the failure can no longer be avoided.
const (
	TurnUnknown  Turn = iota // it was not isolated
	TurnHopeless             // no walk avoids it, from wherever on the run it begins: it is as good as certain from the start
	TurnUnclear              // at no step do clearly fewer walks avoid it than before
	TurnBegins               // it fails in the starts of the nodes, with which every run begins
	TurnAlways               // it was so from the start, as is known exactly
	TurnSeems                // it seems to be so from the start, by walks
	TurnLast                 // in the last step: it could be avoided until it happened
	TurnExact                // in a step, as is known exactly
	TurnWalks                // in a step: walks show that it was not too late before, and none that it is not after
	TurnFewer                // in a step: clearly fewer walks avoid it after than before
)

// Turn returns the turn of the finding.
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

// FromStart reports whether it was too late from the start, as far as is known.
func (t Turn) FromStart() bool {
	return t == TurnBegins || t == TurnAlways || t == TurnSeems || t == TurnHopeless
}

// In reports whether the failure became inevitable in a step of the run.
func (t Turn) In() bool { return t >= TurnLast }

// Turned returns the critical step of the finding, or the last step if there is no critical one.
func (a *Account) Turned() int {
	if c := a.Finding.Critical; c != nil && c.Step > 0 {
		return c.Step
	}
	return a.Finding.Step
}

// Basis says why a part of an account is believed.
type Basis uint8

// The bases. A finding may rest on several.
const (
	BasisProved   Basis = 1 << iota // all that can still happen without faults was visited
	BasisRecorded                   // it was decided when it was recorded, and not again
	BasisWalks                      // by fresh walks: Evidence of a dead run, else Avoided
	BasisWitness                    // a walk from before the critical step became live
	BasisDoubt                      // something speaks against it: Critical.Doubt
)

// Basis returns the bases of the verdict and of the critical step if the finding is a dead run,
// and otherwise those of the critical step alone. It is 0 if there is no evidence.
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
		if c != nil && c.Exact && !f.Proved { // of a replay: a search has proved what is exact
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
