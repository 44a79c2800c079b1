package machine

import (
	"time"

	"macemc/internal/charts"
	"macemc/sim"
)

// own returns a signal in the form in which the host keeps it for a machine.
func (w *within) own(s sim.Signal) sim.Signal {
	if w.id == 0 {
		return s
	}
	return timed{w.id, s}
}

// After schedules a timer of the machine.
func (w *within) After(d time.Duration, timer sim.Signal) { w.Env.After(d, w.own(timer)) }

// Cancel unschedules a timer of the machine.
func (w *within) Cancel(timer sim.Signal) { w.Env.Cancel(w.own(timer)) }

// Scheduled reports whether a timer of the machine is scheduled.
func (w *within) Scheduled(timer sim.Signal) bool { return w.Env.Scheduled(w.own(timer)) }

// Post queues a task for the machine.
func (w *within) Post(task sim.Signal) { w.Env.Post(w.own(task)) }

// WatchMachines is called by macemc before a step, as the method of a Core is. The first
// machine is found as the host's upper node, as for any Layer.
func (h *Host) WatchMachines(tally any) {
	t, _ := tally.(*charts.Tally)
	h.tally = t
	for _, m := range h.members[1:] {
		if m != nil {
			charts.Watch(m.node, t)
		}
	}
}
