package walk

import (
	"slices"

	"macemc/choose"
	"macemc/internal/world"
)

// A detour leads a walk around failures that are known already, so that they do not hide others. When a walk has
// met such a failure, it repeats its own answers up to a state before it. There the event that came next is
// delayed. It is the event that failed, or one that led to it by a chain of causes: if a service fails whenever
// a request comes twice, the second request must not be sent. How far the walk goes back, and how long the event
// waits, is drawn at random. A walk goes around detoursMost failures at most, and only while its guide picks the
// events: later the walk is judged, and every event must be able to happen.
type detour struct {
	taken  int       // the number of failures that the walk went around
	to     kept      // the state from which the walk goes on, with the answers that lead there
	next   int       // the number of the event that the walk chose in that state before; none after begins has delayed it
	avoids []avoided // the events that are delayed
	runs   []choose.Run
}

// avoided is an event that is delayed until the walk reaches a depth.
type avoided struct {
	glance   world.Glance
	identity string
	until    int
}

const detoursMost = 8

// mark describes a state of the walk, so that a detour can go back to it.
type mark struct {
	answers int // number of answers that lead to the state
	cause   int // the number of the step that caused the last event before the state, or -1
}

// mark appends a description of the state w, to which the last step has led, to s.marks.
func (s *Walk) mark(w *world.World, depth int) {
	if len(s.marks) == 0 {
		s.first = depth
	}
	s.marks = append(s.marks, mark{len(s.Picks()), w.Run.LastCause()})
}

// Around returns a plan for taking the walk once more, but around the failure that it has just met in w. It returns
// false if the walk cannot go around it.
func (s *Walk) Around(w *world.World) (Plan, bool) {
	p, at := s.Plan, s.first+len(s.marks)-1
	if p.Guide.Until == 0 || !p.Length.Around || len(s.marks) == 0 || at >= p.Guide.Until || p.detour != nil && p.detour.taken == detoursMost {
		return p, false
	}
	d := p.detour.another()
	by := draws(mix(p.Guide.Key + uint64(d.taken)))
	for cause := w.Run.LastCause(); cause > s.first && by.below(2) == 0; cause = s.marks[at+1-s.first].cause {
		at = cause - 1
	}
	answers := s.marks[at-s.first].answers
	if answers == len(s.Picks()) { // no answer led to the failure
		return p, false
	}
	d.from(s.Picks()[:answers+1], at)
	return p.around(d), true
}

// another returns a detour around the failures that d goes around and one more. d may be nil, which
// goes around none.
func (d *detour) another() *detour {
	if d == nil {
		return &detour{taken: 1}
	}
	return &detour{taken: d.taken + 1, avoids: d.avoids}
}

// from sets the state to which the walk goes back. All the given answers but the last lead there; the last chose
// the event that is now delayed.
func (d *detour) from(answers []choose.Pick, depth int) {
	last := len(answers) - 1
	d.next, d.to = int(answers[last].Pick), kept{answers: slices.Clone(answers[:last]), depth: depth}
}

// around returns the plan with detour d, and with another stream of random numbers.
func (p Plan) around(d *detour) Plan {
	p.detour, p.lead, p.Number = d, &d.to, p.Number&(1<<50-1)|uint64(d.taken)<<50
	return p
}

// Detours returns the number of known failures that a walk with this plan goes around.
func (p *Plan) Detours() int {
	if p.detour == nil {
		return 0
	}
	return p.detour.taken
}

// begins delays the event that the walk took before in the state to which it has gone back. It is called in that
// state. If the event is a fault, it is not delayed but left out.
func (d *detour) begins(w *world.World, g *guiding, depth int) {
	e := w.Events.Glance(d.next)
	if long := g.span(4, 5); e.Kind.Fault() {
		depth++
	} else {
		d.avoids = append(d.avoids, avoided{e, w.Events.Identity(d.next), depth + long})
	}
	d.next = none
	g.skips(depth)
}

// without returns question q with the weights of the delayed events set to 0, so that other events are
// picked. It returns q unchanged if no other event can happen.
func (d *detour) without(w *world.World, q *choose.Question, g *guiding) *choose.Question {
	depth := w.Run.Steps()
	if d.next != none {
		d.begins(w, g, depth)
	}
	others, at := false, 0
	d.runs = d.runs[:0]
	for _, r := range q.Runs {
		for i := at; i < at+r.N; i++ {
			weight := r.Weight
			if weight > 0 && d.waits(w, i, depth) {
				weight = 0
			}
			others = others || weight > 0
			d.runs = append(d.runs, choose.Run{N: 1, Weight: weight})
		}
		at += r.N
	}
	if !others {
		return q
	}
	left := *q
	left.Runs = d.runs
	return &left
}

// waits reports whether possible event number k is delayed at this depth.
func (d *detour) waits(w *world.World, k, depth int) bool {
	e := w.Events.Glance(k)
	return slices.ContainsFunc(d.avoids, func(a avoided) bool {
		return depth < a.until && a.glance == e && a.identity == w.Events.Identity(k)
	})
}
