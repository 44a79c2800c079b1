package world

import (
	"time"

	"macemc/macetime"
)

// If a system guarantees how exact its nodes' clocks are (sim.Clock), a timer has a
// deadline: an instant of its node's clock. A timer may fire if the recorded relations permit
// that it is the first of its node's timers that is due. The node may handle it any time after
// that, and nothing relates the clocks of two nodes.

// due returns the deadline of a timer that the handler schedules now.
func (w *World) due(d time.Duration) macetime.Time {
	if w.pace == nil {
		return macetime.Time{}
	}
	set := w.reading()
	least, most := w.pace.Span(d)
	return w.ticks().Due(set, least, most)
}

// ripen finds the timers of a node that may fire, and lists their slots in ripe.
func (ns *nodeState) ripen() {
	ns.ripe = ns.ripe[:0]
	for k := range ns.seen.Timers {
		first := true
		for l := range ns.seen.Timers {
			first = first && (l == k || ns.clock.MayPrecede(ns.seen.Timers[k].Due, ns.seen.Timers[l].Due))
		}
		if first {
			ns.ripe = append(ns.ripe, int32(k))
		}
	}
}

// precedes records on the node's clock that the timer at a slot is the first one due.
func (ns *nodeState) precedes(slot int) {
	var others []macetime.Time
	for k := range ns.seen.Timers {
		if k != slot {
			others = append(others, ns.seen.Timers[k].Due)
		}
	}
	ns.ownClock()
	ns.clock.Fire(ns.seen.Timers[slot].Due, others)
}

// known returns everything that is known about a node's clock and the deadlines of its timers, as bytes.
func (ns *nodeState) known() []byte {
	buf := ns.clock.Append(nil)
	for k := range ns.seen.Timers {
		buf = ns.seen.Timers[k].Due.Append(buf)
	}
	return buf
}
