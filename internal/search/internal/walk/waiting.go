package walk

import (
	"macemc/internal/world"
	"macemc/sim"
)

// waitMost is the largest number of steps by which a walk gets longer so that events happen that
// were possible at its beginning.
const waitMost = 64

// waits reports whether the walk goes on beyond its end, since an event has not happened that was
// possible where the walk began. That event comes next. A walk that avoids a failure only because a
// message, a timer or a request never comes shows nothing: in a run without end it comes.
func (s *Walk) waits(w *world.World, beyond int) bool {
	if !s.Plan.Length.Waits || beyond >= waitMost {
		return false
	}
	from := 0
	if s.Plan.Begin != nil {
		from = s.Plan.Begin.Steps
	}
	s.next = waiting(w, from)
	return s.next != none
}

// waiting returns the index of an event that is possible now and has been since step from of the
// run, or none. Actions and messages of a set are left out, since they stay possible after they
// have happened.
func waiting(w *world.World, from int) int {
	for k := range w.Events.Count() {
		e, cause := w.Events.Caused(k)
		switch e.Kind {
		case sim.KindMessage, sim.KindTask, sim.KindTimer, sim.KindScript, sim.KindRestart:
			if cause <= from && e.Link != sim.LinkSet && !w.Events.Rare(k) {
				return k
			}
		}
	}
	return none
}
