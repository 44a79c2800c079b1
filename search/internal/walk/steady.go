package walk

import "macemc/internal/world"

// Steady takes walks without faults that end in steady state: live for that many steps, and
// then at the first moment at which nothing is under way, or after as many steps again. A
// run that comes to rest live is steady, too.
type Steady struct {
	*Walk
	Calm int  // steps
	Done bool // it is in steady state
	held int  // the number of consecutive live states
}

// Visit reports whether the walk goes on.
func (s *Steady) Visit(w *world.World, depth int) bool {
	if s.held++; !w.Judge.Live() {
		s.held = 0
	}
	s.Done = s.held > s.Calm && w.Events.UnderWay() == 0 || s.held > 2*s.Calm
	return !s.Done && depth-s.Plan.Judged < s.Plan.Length.Most
}

// Begin makes the walk of a plan the next one.
func (s *Steady) Begin(p Plan) {
	s.Walk.Begin(p)
	s.held, s.Done = 0, false
}
