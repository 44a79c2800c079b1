package report

import (
	"fmt"

	"macemc/internal/account"
	"macemc/internal/numerals"
)

// avoidable describes in a sentence until which step a failure could be avoided.
func (s subject) avoidable() string {
	switch turn := s.Turn(); turn {
	case account.TurnUnknown:
		return "not isolated"
	case account.TurnHopeless:
		return "step 0, as far as walks can tell: no walk avoids it, from wherever on the run it begins"
	case account.TurnUnclear:
		if s.Finding.Avoided.Step == 0 {
			return "inconclusive: no step is known before which walks avoid it"
		}
		return "inconclusive: at no step do clearly fewer walks avoid it than before"
	case account.TurnBegins:
		return "step 0: every run begins with this"
	case account.TurnAlways:
		return "step 0: no run avoids it"
	case account.TurnLast:
		return fmt.Sprintf("step %s, the last one: it could be avoided until then", numerals.Count(s.Finding.Critical.Step))
	case account.TurnExact, account.TurnWalks, account.TurnFewer:
		c := s.Finding.Critical
		return fmt.Sprintf("step %s  %s\n%s", numerals.Count(c.Step), s.turned(c), map[account.Turn]string{
			account.TurnExact: "it could be avoided until then, and not after",
			account.TurnWalks: "walks avoid it until then, and none does after",
			account.TurnFewer: "clearly fewer walks avoid it after that than before",
		}[turn])
	default:
		panic(fmt.Sprintf("macemc bug: report: no words for the turn %d", turn))
	}
}

// avoidance describes the evidence for the step until which a failure could be avoided.
func (s subject) avoidance() string {
	a := s.Finding.Avoided
	switch basis := s.Basis(); {
	case basis == 0:
		return "none was gathered"
	case basis == account.BasisProved:
		return "proved: all that can happen without further faults was visited"
	case basis == account.BasisRecorded:
		return "as far as walks can tell: those that were taken when it was recorded"
	case a.Step == 0:
		return fmt.Sprintf("%s of %s of %s from the start went on without a failure", numerals.Count(a.Before), numerals.Many(a.Walks, "fresh walk"), numerals.Many(a.WalkSteps, "step"))
	}
	text := fmt.Sprintf("%s of %s of %s from before step %s went on without a failure, ",
		numerals.Count(a.Before), numerals.Many(a.Walks, "fresh walk"), numerals.Many(a.WalkSteps, "step"), numerals.Count(a.Step))
	if a.Step == s.Finding.Step {
		text += "and none can after it, where it has failed"
	} else {
		text += fmt.Sprintf("and %s of %s from after it", numerals.Count(a.After), numerals.Count(a.Walks))
	}
	if s.Turn() == account.TurnUnclear {
		return text + fmt.Sprintf("; at no other step did the share seem to fall as clearly, and this may be chance (p = %.2g): more walks, by --evidence-walks, may tell", a.Chance)
	}
	return "as far as walks can tell: " + text + fmt.Sprintf("; that is hardly chance (p = %.1g)", a.Chance)
}

// deviates names the first step of the run that is in no run which keeps the property.
func (s subject) deviates() string {
	d := s.Finding.Deviates
	if len(d.Without) > 0 && d.Step == 0 {
		return fmt.Sprintf("step 0: without %s the service begins otherwise", account.Bugs(d.Without))
	}
	if len(d.Without) > 0 {
		return fmt.Sprintf("step %s  %s\nwithout %s the service does otherwise here, and the same until then", numerals.Count(d.Step), s.shown(d.Step, d.Event), account.Bugs(d.Without))
	}
	switch walks := fmt.Sprintf("of %s of %s %s kept the promise and %s broke it",
		numerals.Many(d.Kept+d.Broke, "fresh walk"), numerals.Many(d.WalkSteps, "step"), numerals.Count(d.Kept), numerals.Count(d.Broke)); {
	case d.Step == 0 && d.Harmless:
		return "in no step alone\n" + walks + "; for each step of this run before it is too late, some that kept it took the step at a node in the same state"
	case d.Step == 0:
		return "not known\n" + walks + "; no step clearly occurs only in those that broke it"
	}
	return fmt.Sprintf("step %s  %s\nat a node in the same state, none of %s of %s steps that kept the promise did this, and %s of %s that broke it did",
		numerals.Count(d.Step), s.shown(d.Step, d.Event), numerals.Many(d.Kept, "fresh walk"), numerals.Count(d.WalkSteps), numerals.Count(d.Did), numerals.Count(d.Broke))
}
