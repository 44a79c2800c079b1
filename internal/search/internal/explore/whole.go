package explore

import (
	"cmp"

	"macemc/internal/search/internal/stubborn"
)

// A hindrance is the reason why all steps of a state were taken, with the kind of event that caused
// it if the reason names one.
type hindrance struct {
	why string
	of  stubborn.Class
}

// The reasons. In the last two, the name of an event is put before the text.
const (
	whyForced    = "the environment is disturbed: nodes are cut off, pause or are slow"
	whyBudget    = "a fault may still happen that is no failure of a node and no loss"
	whyUnsettled = "a node waits for room, or is told of a broken connection"
	whyFailed    = "a node that failed has messages under way, or an open connection"
	whyAlone     = "the steps that suffice are all that are possible"
	whyDepends   = "each event changes its node, and may come to depend on each other one"
	whyProviso   = "the steps that suffice lead to states that were known, and might put off the others for ever"
	whyBarred    = "may follow, and touches more than its node and messages"
	whyVisible   = "changes what properties see, and so its order counts"
)

// hinders counts a state of which all steps are taken, with the reason.
func (r *Reduction) hinders(why hindrance) { r.whys[why]++ }

// seen returns the reason why expand takes all steps of a state, and not only those of choice c. The argument left
// is the number of steps that the choice does not have. If it is 0, the choice has all steps; otherwise one of its
// kinds of events is visible.
func (r *Reduction) seen(c *choice, left int) hindrance {
	if shown := r.facts.Shown(c.kinds); left > 0 && shown >= 0 {
		return hindrance{whyVisible, shown}
	}
	return hindrance{why: whyAlone}
}

// Hindered returns the number of states of which all steps were taken, the number of those with the
// most frequent reason, and that reason.
func (r *Reduction) Hindered() (all, most int, why string) {
	names := map[stubborn.Class]string{}
	for k, c := range r.classes {
		names[c] = k.name()
	}
	whys := map[string]int{}
	for h, n := range r.whys {
		text := h.why
		if h.why == whyBarred || h.why == whyVisible {
			text = names[h.of] + " " + text
		}
		whys[text] += n
		all += n
	}
	for text, n := range whys {
		if cmp.Or(cmp.Compare(n, most), cmp.Compare(why, text)) > 0 {
			most, why = n, text
		}
	}
	return all, most, why
}

// name returns the type of an event's value, or the name of its kind if it has none.
func (k *kind) name() string {
	if k.of != nil {
		return k.of.Name()
	}
	return k.kind.String()
}
