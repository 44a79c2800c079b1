package world

import (
	"macemc/internal/observe"
	"macemc/internal/sight"
	"macemc/netsim"
	"macemc/sim"
)

// eyes lets properties look at the messages and timers of the world.
type eyes struct{ w *World }

func (e eyes) Timers() int { return e.w.timers.count }

// refuse ends the run if the crash model is implicit and a property looks at messages. In that model a failed
// node is one that takes no more steps, so messages to it stay under way; but messages to a node that has
// really failed are gone.
func (e eyes) refuse() {
	if e.w.implicit {
		panic(unsupported("a property looks at the messages under way, and those to a failed node are gone, so the crash model implicit differs from explicit; use explicit"))
	}
}

func (e eyes) InFlight() int {
	e.refuse()
	e.w.Judge.Counts()
	return e.w.Links.InFlight()
}

func (e eyes) UnderWay(yield func(sight.Sent) bool) {
	e.refuse()
	e.w.Judge.Looks()
	l := &e.w.Links
	for _, link := range []sim.Link{sim.LinkTCP, sim.LinkUDP} {
		for c := range e.w.n * e.w.n {
			packets := l.TCP().Packets(c)
			if link == sim.LinkUDP {
				packets = l.UDP().Packets(c)
			}
			from, to := l.Ends(c)
			for k := range packets {
				if !yield(sight.Sent{From: from, To: to, Link: uint8(link), Message: packets[k].Message}) {
					return
				}
			}
		}
	}
	for _, link := range []sim.Link{sim.LinkSet, sim.LinkBag} {
		for to := range e.w.n {
			for _, m := range l.Set().For(to) {
				if (m.Count > 0) == (link == sim.LinkBag) && !several(m, to, link, yield) {
					return
				}
			}
		}
	}
}

// several yields a message of a set once, and a message of a bag once for each copy.
func several(m netsim.Member, to int, link sim.Link, yield func(sight.Sent) bool) bool {
	for range max(m.Count, 1) {
		if !yield(sight.Sent{From: m.From, To: to, Link: uint8(link), Message: m.Message}) {
			return false
		}
	}
	return true
}

// parcels appends all messages under way to all, and returns the result. The audit compares them
// before and after a step: see Config.Audit.
func (w *World) parcels(all []observe.Parcel) []observe.Parcel {
	for c := range w.n * w.n {
		from, to := w.Links.Ends(c)
		for _, packets := range [2][]netsim.Packet{w.Links.TCP().Packets(c), w.Links.UDP().Packets(c)} {
			for _, p := range packets {
				all = append(all, observe.Parcel{From: from, To: to, Packet: p})
			}
		}
	}
	for to := range w.n {
		for _, m := range w.Links.Set().For(to) {
			all = append(all, observe.Parcel{From: m.From, To: to, Packet: m.Packet})
		}
	}
	return all
}
