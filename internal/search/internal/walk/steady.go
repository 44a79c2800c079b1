package walk

import "macemc/internal/world"

// Steady takes walks without faults until they are in steady state. A walk is in steady state if it
// was live for Calm steps, and after that either nothing is under way or it was live for another
// Calm steps. A run that comes to rest in a live state is in steady state, too.
type Steady struct {
	*Walk
	Calm int  // the number of live steps that are required
	Done bool // the walk is in steady state
	held int  // number of consecutive live states so far
}

// Visit reports whether the walk goes on.
func (s *Steady) Visit(w *world.World, depth int) bool {
	if s.held++; !w.Judge.Live() {
		s.held = 0
	}
	s.Done = s.held > s.Calm && w.Events.UnderWay() == 0 || s.held > 2*s.Calm
	return !s.Done && depth-s.Plan.Judged < s.Plan.Length.Most
}

// Begin makes plan p that of the next walk.
func (s *Steady) Begin(p Plan) {
	s.Walk.Begin(p)
	s.held, s.Done = 0, false
}
