package choose

import (
	"fmt"
	"strconv"
	"strings"
)

// A Divergence describes where a repeated run, whose answers are matched by identity, asked another
// question than the recorded run.
type Divergence struct {
	Pass     string // a word for the repetition; "replay" by default
	Step     int    // the number of the step in the path file, from 1; 0 for the start
	Recorded Choice // Kind is 0 if nothing is recorded here
	Asked    Kind
	Why      string   // the reason that the service gave for the coin that is asked
	Of       int      // the number of alternatives now
	Possible []string // the identities of the alternatives, at most maxPossible
	Now      int      // the number that the recorded alternative has now; -1 if it is not possible
}

const (
	maxPossible = 1000 // the largest number of identities that are kept
	maxPrinted  = 8    // the largest number of identities that are printed
)

// diverge returns the Divergence of the choice that is recorded for a step and the question
// that is asked now.
func diverge(step int, recorded Choice, q *Question) *Divergence {
	d := &Divergence{Pass: "replay", Step: step, Recorded: recorded, Now: no, Asked: q.Kind, Why: q.Alternatives.Why(), Of: q.N}
	for i := range q.N {
		if i == maxPossible && q.Kind == Coin { // a coin may have a billion sides
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

// hint returns the most likely cause of the divergence, in words.
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
	recorded := fmt.Sprintf("recorded %q (pick %d of %d)", r.What, r.Pick, r.Of)
	switch {
	case r.Kind == 0 && d.Asked == Coin:
		return fmt.Sprintf("coin %q of %d is asked, but none is recorded here", d.Why, d.Of)
	case r.Kind == 0:
		return fmt.Sprintf("%v of %d is asked, but the recorded run ended here", d.Asked, d.Of)
	case r.Kind != d.Asked:
		return recorded + ", but the step ended without asking for it"
	case d.Now < 0:
		return recorded + ", which is not possible now; " + d.possible()
	case d.Now == r.Pick && d.Of == r.Of:
		return recorded + ", but the alternatives beside it changed; " + d.possible()
	default:
		return fmt.Sprintf("%s, which is now pick %d of %d", recorded, d.Now, d.Of)
	}
}

// possible lists the alternatives that could be picked instead.
func (d *Divergence) possible() string {
	var b strings.Builder
	b.WriteString("possible are: ")
	for i, id := range d.Possible[:min(len(d.Possible), maxPrinted)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(id))
	}
	if d.Of > maxPrinted {
		b.WriteString(", ...")
	}
	fmt.Fprintf(&b, " (%d)", d.Of)
	return b.String()
}
