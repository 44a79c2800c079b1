package machine

import (
	"time"

	"macemc/internal/charts"
	"macemc/sim"
)

// own returns the signal that stands for s on the host's node: s itself for the first machine, and
// otherwise s together with the ID of the machine whose handler runs.
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

// WatchMachines makes the machines of the host count in tally what they do, except the first one,
// for which macemc calls the method itself, since that machine is the host's upper node. macemc
// calls it before a step, as it does for a machine that is a node of its own.
func (h *Host) WatchMachines(tally any) {
	t, _ := tally.(*charts.Tally)
	h.tally = t
	for _, m := range h.members[1:] {
		if m != nil {
			charts.Watch(m.node, t)
		}
	}
}
