package world

import (
	"slices"

	"macemc/internal/canon"
	"macemc/netsim"
	"macemc/sim"
)

// timerInfo is a timer's value with its identity; there is one per value in a
// World, so that timers are compared by pointer.
type timerInfo struct {
	signal sim.Signal
	sum    canon.Hash
	tally  *tally   // nil: nobody asked
	told   []string // by node, the identity of its event as text, once it was asked for
}

// scheduled is a timer that may fire, and the step that scheduled it. A node's
// are ordered by identity.
type scheduled struct {
	*timerInfo
	step int32
}

// clocked is what an effect of the step that is running does to a timer.
type clocked struct {
	timer *timerInfo
	armed bool // scheduled, not cancelled
}

// timer is the one timerInfo of a signal, which must be comparable.
func (w *World) timer(s sim.Signal) *timerInfo {
	if t := w.recent(s); t != nil {
		return t
	}
	if t, ok := w.known[s]; ok {
		return t
	}
	t := &timerInfo{signal: s, sum: w.sum(s)}
	if w.cover != nil {
		t.tally = &w.cover.of(s).of[sim.KindTimer]
	}
	w.known[s] = t
	if len(w.recents) < cap(w.recents) {
		w.recents = append(w.recents, t)
	}
	return t
}

// recent finds a signal among the first few that were ever scheduled: most
// services have no more, and a comparison beats a map. It never compares a
// value that cannot be compared, since none is among them.
func (w *World) recent(s sim.Signal) *timerInfo {
	for _, t := range w.recents {
		if t.signal == s {
			return t
		}
	}
	return nil
}

func (ns *nodeState) scheduled(t *timerInfo) bool {
	for k := range ns.timers {
		if ns.timers[k].timerInfo == t {
			return true
		}
	}
	return false
}

func (w *World) arm(i int, t *timerInfo) {
	ns := &w.nodes[i]
	if t.tally != nil {
		t.tally.possible++
	}
	at := 0
	for k := range ns.timers {
		if ns.timers[k].timerInfo == t {
			ns.timers[k].step = int32(w.step)
			return
		}
		if netsim.CompareSums(ns.timers[k].sum, t.sum) < 0 {
			at = k + 1
		}
	}
	ns.timers = slices.Insert(ns.timers, at, scheduled{t, int32(w.step)})
	w.timers++
}

func (w *World) disarm(i int, t *timerInfo) {
	ns := &w.nodes[i]
	for k := range ns.timers {
		if ns.timers[k].timerInfo == t {
			ns.timers = append(ns.timers[:k], ns.timers[k+1:]...)
			w.timers--
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
	if t.told == nil {
		t.told = make([]string, w.n)
	}
	if t.told[i] == "" {
		t.told[i] = e.Text(w.walker, w.n)
	}
	return t.told[i]
}
