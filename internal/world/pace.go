package world

import (
	"time"

	"macemc/macetime"
)

// If a system guarantees how exact its nodes' clocks are (sim.Clock), a timer has a
// deadline: an instant of its node's clock. Of the timers of a node, one may fire if it can
// be the first one due. How soon the node handles it is open, and so is the relation
// between two nodes.

// due returns the deadline of a timer that the handler sets now.
func (w *World) due(d time.Duration) macetime.Time {
	if w.pace == nil {
		return macetime.Time{}
	}
	set := w.reading()
	least, most := w.pace.Span(d)
	return w.ticks().Due(set, least, most)
}

// ripen looks which timers of a node may fire.
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

// precedes makes the timer at a slot the first that is due.
func (ns *nodeState) precedes(slot int) {
	var others []macetime.Time
	for k := range ns.seen.Timers {
		if k != slot {
			others = append(others, ns.seen.Timers[k].Due)
		}
	}
	own := ns.clock.Clone()
	own.Fire(ns.seen.Timers[slot].Due, others)
	ns.clock = &own
}

// known returns what the clock of a node knows, and when its timers are due.
func (ns *nodeState) known() []byte {
	buf := ns.clock.Append(nil)
	for k := range ns.seen.Timers {
		buf = ns.seen.Timers[k].Due.Append(buf)
	}
	return buf
}
