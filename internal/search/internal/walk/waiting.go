package walk

import (
	"macemc/internal/world"
	"macemc/sim"
)

// waitMost is the largest number of steps that a walk takes beyond its end while it waits for
// events that were possible where it began.
const waitMost = 64

// waits reports whether the walk goes on beyond its end, because an event that was possible where the
// walk began has still not happened. If so, that event is taken next. beyond is the number of steps
// that the walk has taken beyond its end. Without this, a walk might avoid a failure only because a
// message, a timer or a request never comes. That would show nothing: in an endless run it comes.
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

// waiting returns the number of a possible event that was caused by step number from of the run or
// by an earlier one, or none if there is no such event. It leaves out actions and messages of a set,
// since these stay possible after they have happened.
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
