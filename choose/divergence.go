package choose

import (
	"fmt"
	"strconv"
	"strings"
)

// A Divergence says where a run that is repeated by identity did not ask for
// what was recorded.
type Divergence struct {
	Pass     string // what was repeated: "replay", if nobody says otherwise
	Step     int    // as numbered in a path file, from 1; 0: in the start
	Recorded Choice // Kind 0: nothing was recorded for what is asked
	Asked    Kind
	Why      string   // of the coin that is asked
	Of       int      // alternatives now
	Possible []string // their identities, at most maxPossible
	Now      int      // the pick that the recorded identity would have now; -1: not possible
}

const (
	maxPossible = 1000 // kept
	maxTold     = 8    // printed
)

// diverge compares what is recorded for step with what is asked.
func diverge(step int, recorded Choice, q *Question) *Divergence {
	d := &Divergence{Pass: "replay", Step: step, Recorded: recorded, Now: no, Asked: q.Kind, Why: q.Alternatives.Why(), Of: q.N}
	for i := range q.N {
		if i == maxPossible && q.Kind == Coin { // which may have a billion sides
			break
		}
		id := what(q, i)
		if i < maxPossible {
			d.Possible = append(d.Possible, id)
		}
		if d.Now < 0 && recorded.Kind == q.Kind && recorded.What == id {
			d.Now = i
		}
	}
	return d
}

func (d *Divergence) Error() string {
	where := "in the start"
	if d.Step > 0 {
		where = fmt.Sprintf("at step %d", d.Step)
	}
	return fmt.Sprintf("%s diverged %s: %s%s", d.Pass, where, d.story(), d.hint())
}

// hint says what most likely is the cause.
func (d *Divergence) hint() string {
	switch {
	case d.Now >= 0 && d.Asked == Event:
		return ": the code's set of possible events changed"
	case d.Now >= 0:
		return ": the code's alternatives of this coin changed"
	default:
		return ""
	}
}

func (d *Divergence) story() string {
	r := d.Recorded
	told := fmt.Sprintf("recorded %q (pick %d of %d)", r.What, r.Pick, r.Of)
	switch {
	case r.Kind == 0 && d.Asked == Coin:
		return fmt.Sprintf("coin %q of %d is asked, but none is recorded here", d.Why, d.Of)
	case r.Kind == 0:
		return fmt.Sprintf("%v of %d is asked, but the recorded run ended here", d.Asked, d.Of)
	case r.Kind != d.Asked:
		return told + ", but the step ended without asking for it"
	case d.Now < 0:
		return told + ", which is not possible now; " + d.possible()
	case d.Now == r.Pick && d.Of == r.Of:
		return told + ", but the alternatives beside it changed; " + d.possible()
	default:
		return fmt.Sprintf("%s, which is now pick %d of %d", told, d.Now, d.Of)
	}
}

// possible lists what could be picked instead.
func (d *Divergence) possible() string {
	var b strings.Builder
	b.WriteString("possible are: ")
	for i, id := range d.Possible[:min(len(d.Possible), maxTold)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(id))
	}
	if d.Of > maxTold {
		b.WriteString(", ...")
	}
	fmt.Fprintf(&b, " (%d)", d.Of)
	return b.String()
}
