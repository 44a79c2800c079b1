package world

import (
	"slices"

	"macemc/internal/sight"
	"macemc/macetime"
	"macemc/netsim"
	"macemc/sim"
)

// timerNotes is what a world notes of a timer besides its identity.
type timerNotes struct {
	tally *tally   // nil: nobody asked
	told  []string // by node, the identity of its event as text, once it was asked for
}

// timers are the values that were ever scheduled in a world.
type timers struct {
	count   int // of those that are scheduled now, on all nodes
	known   map[any]*sight.Timer
	recents []*sight.Timer // the first few of known
	noted   []timerNotes   // by their numbers
}

func newTimers() timers {
	return timers{known: map[any]*sight.Timer{}, recents: make([]*sight.Timer, 0, 8)}
}

// clocked is what an effect of the step that is running does to a timer.
type clocked struct {
	timer *sight.Timer
	armed bool          // scheduled, not cancelled
	due   macetime.Time // where timers keep to the clock
}

// timer is the one Timer of a signal, which must be comparable.
func (w *World) timer(s sim.Signal) *sight.Timer {
	if t := w.timers.recent(s); t != nil {
		return t
	}
	if t, ok := w.timers.known[s]; ok {
		return t
	}
	t := &sight.Timer{Signal: s, Sum: w.sum(s), Number: len(w.timers.noted)}
	var notes timerNotes
	if w.cover != nil {
		notes.tally = &w.cover.of(s).of[sim.KindTimer]
	}
	w.timers.noted = append(w.timers.noted, notes)
	w.timers.known[s] = t
	if len(w.timers.recents) < cap(w.timers.recents) {
		w.timers.recents = append(w.timers.recents, t)
	}
	return t
}

// recent finds a signal among the first few that were ever scheduled: most
// services have no more, and a comparison beats a map. It never compares a
// value that cannot be compared, since none is among them.
func (t *timers) recent(s sim.Signal) *sight.Timer {
	for _, t := range t.recents {
		if t.Signal == s {
			return t
		}
	}
	return nil
}

func (ns *nodeState) scheduled(t *sight.Timer) bool {
	for k := range ns.seen.Timers {
		if ns.seen.Timers[k].Timer == t {
			return true
		}
	}
	return false
}

func (w *World) arm(i int, c clocked) {
	ns, t := &w.nodes[i], c.timer
	if w.cover != nil {
		w.timers.noted[t.Number].tally.possible++
	}
	at := 0
	for k := range ns.seen.Timers {
		if ns.seen.Timers[k].Timer == t {
			ns.seen.Timers[k].Step, ns.seen.Timers[k].Due = int32(w.step), c.due
			return
		}
		if netsim.CompareSums(ns.seen.Timers[k].Sum, t.Sum) < 0 {
			at = k + 1
		}
	}
	ns.seen.Timers = slices.Insert(ns.seen.Timers, at, sight.Scheduled{Timer: t, Step: int32(w.step), Due: c.due})
	w.timers.count++
}

func (w *World) disarm(i int, t *sight.Timer) {
	ns := &w.nodes[i]
	for k := range ns.seen.Timers {
		if ns.seen.Timers[k].Timer == t {
			ns.seen.Timers = append(ns.seen.Timers[:k], ns.seen.Timers[k+1:]...)
			w.timers.count--
			return
		}
	}
}

// text is the event's identity as one line. That of a timer, which has an
// identity for good, is kept.
func (w *World) text(e sim.Event) string {
	if e.Kind != sim.KindTimer {
		return e.Text(w.walker, w.n)
	}
	t, i := w.timer(e.Value), e.Node.Index()
	notes := &w.timers.noted[t.Number]
	if notes.told == nil {
		notes.told = make([]string, w.n)
	}
	if notes.told[i] == "" {
		notes.told[i] = e.Text(w.walker, w.n)
	}
	return notes.told[i]
}
