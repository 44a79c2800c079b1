package run

import (
	"fmt"

	"macemc/choose"
	"macemc/internal/world"
)

// Again is a Strategy that repeats a run up to a depth of Steps.
type Again struct {
	choose.Source
	Climate
	whole
	Steps int
	Live  bool               // the last state is live
	See   func(*world.World) // called in every state; may be nil
	Stop  func() bool        // asked at every state; if it returns true, the run ends there. It may be nil.
}

// Visit evaluates all properties in each state, since the first run may have evaluated them and one
// of them may panic.
func (a *Again) Visit(w *world.World, depth int) bool {
	a.Live = w.Probe()
	if a.See != nil {
		a.See(w)
	}
	return depth < a.Steps && (a.Stop == nil || !a.Stop())
}

// Repeat returns a strategy that repeats the run with the given answers and climate, but takes at
// most this many steps.
func Repeat(answers choose.Source, c Climate, steps int) *Again {
	return &Again{Source: answers, Climate: c, Steps: steps}
}

// Lenient is a source that repeats the answers of a run as long as the questions are the same. After
// that it gives the first answer to each question. So if the service is not deterministic, the run
// still reaches the step that differs, and Lockstep reports the difference.
type Lenient struct {
	*choose.Raw
	left bool
}

func (l *Lenient) Answer(q *choose.Question) int {
	if !l.left {
		if k := l.Raw.Answer(q); k >= 0 {
			return k
		}
		l.left = true
	}
	return 0
}

// Unanswered is a source that answers as another source does, and records the question that this
// source could not answer.
type Unanswered struct {
	choose.Source
	Asked string // the question, as text; "" if there was an answer to each
}

func (u *Unanswered) Answer(q *choose.Question) int {
	k := u.Source.Answer(q)
	if k < 0 && u.Asked == "" {
		u.Asked = fmt.Sprintf("ask one of %d", q.N)
		if why := q.Alternatives.Why(); why != "" {
			u.Asked += " for " + why
		}
	}
	return k
}

// Picks returns the answers of a path, as numbers.
func Picks(p *choose.Path) []choose.Pick {
	var out []choose.Pick
	add := func(c choose.Choice) { out = append(out, choose.Pick{Of: uint32(c.Of), Pick: uint32(c.Pick)}) }
	for _, c := range p.Start {
		add(c)
	}
	for _, s := range p.Steps {
		add(s.Event)
		for _, c := range s.Coins {
			add(c)
		}
	}
	return out
}
