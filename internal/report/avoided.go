package report

import (
	"fmt"

	"macemc/internal/numerals"
)

// avoidable says until when a failure could be avoided.
func (s subject) avoidable() string {
	c, a := s.f.Critical, s.f.Avoided
	switch {
	case c == nil && a == nil:
		return "not isolated"
	case c == nil && a.Step == 0:
		return "inconclusive: no step is known before which walks avoid it"
	case c == nil:
		return "inconclusive: at no step do clearly fewer walks avoid it than before"
	case c.Step == 0 && s.f.Step == 0:
		return "step 0: every run begins with this"
	case c.Step == 0:
		return "step 0: no run avoids it"
	case c.Step == s.f.Step:
		return fmt.Sprintf("step %s, the last one: it could be avoided until then", numerals.Count(c.Step))
	case c.Exact:
		return fmt.Sprintf("step %s  %s\nit could be avoided until then, and not after", numerals.Count(c.Step), c.Event)
	case a != nil && a.After == 0:
		return fmt.Sprintf("step %s  %s\nwalks avoid it until then, and none does after", numerals.Count(c.Step), c.Event)
	default:
		return fmt.Sprintf("step %s  %s\nclearly fewer walks avoid it after that than before", numerals.Count(c.Step), c.Event)
	}
}

// avoidance says how we know until when a failure could be avoided.
func (s subject) avoidance() string {
	c, a := s.f.Critical, s.f.Avoided
	switch {
	case c != nil && c.Exact:
		return "proved: all that can happen without further faults was visited"
	case c == nil && a == nil:
		return "none was gathered"
	case a == nil:
		return "as far as walks can tell: those that were taken when it was recorded"
	case a.Step == 0:
		return fmt.Sprintf("%s of %s of %s from the start went on without a failure", numerals.Count(a.Before), numerals.Many(a.Walks, "fresh walk"), numerals.Many(a.WalkSteps, "step"))
	}
	text := fmt.Sprintf("%s of %s of %s from before step %s went on without a failure, ",
		numerals.Count(a.Before), numerals.Many(a.Walks, "fresh walk"), numerals.Many(a.WalkSteps, "step"), numerals.Count(a.Step))
	if a.Step == s.f.Step {
		text += "and none can after it, where it has failed"
	} else {
		text += fmt.Sprintf("and %s of %s from after it", numerals.Count(a.After), numerals.Count(a.Walks))
	}
	if c == nil {
		return text + fmt.Sprintf("; at no other step did the share seem to fall as clearly, and this may be chance (p = %.2g): more walks, by --walks, may tell", a.Chance)
	}
	return "as far as walks can tell: " + text + fmt.Sprintf("; that is hardly chance (p = %.1g)", a.Chance)
}
