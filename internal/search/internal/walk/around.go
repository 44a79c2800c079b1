package walk

import (
	"slices"

	"macemc/choose"
	"macemc/internal/world"
)

// A detour leads a walk around failures that are known already, so that they do not hide others. The
// walk takes its own answers again up to a state before such a failure, and goes on from there while the
// next event of these answers waits, as if it were late. That is the event that failed, or one of the
// events that led to it, by a chain of causes: if a service fails whenever a request comes twice, the second
// request must not be sent. How far the walk goes back and how long the event waits is drawn. A walk goes around
// detoursMost failures at most, and only while its guide picks its events: then it is judged, and
// every event must be able to happen.
type detour struct {
	taken  int       // the number of failures that the walk went around
	to     kept      // the state from which it goes on
	next   int       // the alternative that it took there before, or none once that waits
	avoids []avoided // the events that wait
	runs   []choose.Run
}

// avoided is an event that waits until a depth.
type avoided struct {
	glance   world.Glance
	identity string
	until    int
}

const detoursMost = 8

// mark is what a walk records of a state for its detours.
type mark struct {
	answers int // number of answers given up to there
	cause   int // the step that led to the event that led there, or -1
}

// mark records the state to which the last step has led.
func (s *Walk) mark(w *world.World, depth int) {
	if len(s.marks) == 0 {
		s.first = depth
	}
	s.marks = append(s.marks, mark{len(s.Picks()), w.Run.LastCause()})
}

// Around returns a plan by which the walk goes around the failure that it has just met in w. It
// reports whether there is one.
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

// another returns a detour that goes around one failure more.
func (d *detour) another() *detour {
	if d == nil {
		return &detour{taken: 1}
	}
	return &detour{taken: d.taken + 1, avoids: d.avoids}
}

// from sets the state from which the walk goes on, by the answers up to the one that is not given again.
func (d *detour) from(answers []choose.Pick, depth int) {
	last := len(answers) - 1
	d.next, d.to = int(answers[last].Pick), kept{answers: slices.Clone(answers[:last]), depth: depth}
}

// around returns the plan with a detour, and with another stream of random numbers.
func (p Plan) around(d *detour) Plan {
	p.detour, p.lead, p.Number = d, &d.to, p.Number&(1<<50-1)|uint64(d.taken)<<50
	return p
}

// Detours returns the number of failures that the walk goes around.
func (p *Plan) Detours() int {
	if p.detour == nil {
		return 0
	}
	return p.detour.taken
}

// begins makes the event wait that the walk took here before. If it was a fault, it does not happen.
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

// without returns the question with the events made rare that wait. It returns the question unchanged
// if no others can happen.
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

// waits reports whether possible event k waits at a depth.
func (d *detour) waits(w *world.World, k, depth int) bool {
	e := w.Events.Glance(k)
	return slices.ContainsFunc(d.avoids, func(a avoided) bool {
		return depth < a.until && a.glance == e && a.identity == w.Events.Identity(k)
	})
}
