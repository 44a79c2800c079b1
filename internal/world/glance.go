package world

import (
	"unsafe"

	"macemc/netsim"
	"macemc/sim"
)

// A Glance has the few fields of a possible event that a random walk reads before it picks one of
// the events. It takes much less time to get Glances of all events than to call Look for each.
type Glance struct {
	Type  uintptr // identifies the type of the event's value; for a quorum, the type of its first message; 0 if there is no value
	Cause int32   // the step that led to the event, or -1, as Caused returns it
	Node  uint8   // where it happens, counted from 1; 0 means nowhere
	From  uint8   // the sender or the other end of the connection, counted from 1; 0 means none
	Kind  sim.Kind
	Link  sim.Link
}

// Glances returns a Glance of each possible event, after Count, in canonical order. It leaves out the
// faults, which come last. Unless timers is set, it also leaves out the timers, which come just
// before the faults. It overwrites the memory of all.
func (es *Events) Glances(all []Glance, timers bool) []Glance {
	all = all[:0]
	if es.filtered() {
		for _, k := range es.free {
			g := es.glance(int(k))
			if g.Kind.Fault() || g.Kind == sim.KindTimer && !timers {
				break
			}
			all = append(all, g)
		}
		return all
	}
	first := 0 // the number of the section's first event
	for _, s := range es.spans {
		switch s.of {
		case sectionTask:
			for i := range es.nodes.at {
				for k := range es.nodes.at[i].tasks {
					t := &es.nodes.at[i].tasks[k]
					all = append(all, Glance{typeOf(&t.signal), t.step, uint8(i + 1), 0, sim.KindTask, 0})
				}
			}
		case sectionTCP:
			l, to := es.links.TCP(), 0
			for c := es.links.OpenTCP().Next(0); c >= 0; c = es.links.OpenTCP().Next(c + 1) {
				all = append(all, es.carried(sim.LinkTCP, c, &to, l.Head(c)))
			}
		case sectionUDP:
			l, to := es.links.UDP(), 0
			for c := es.links.OpenUDP().Next(0); c >= 0; c = es.links.OpenUDP().Next(c + 1) {
				all = append(all, es.carried(sim.LinkUDP, c, &to, l.Head(c)))
			}
		case sectionConsequence:
			for k := range es.environ.consequences {
				all = append(all, es.environ.consequences[k].glance())
			}
		case sectionTimer:
			switch {
			case !timers:
			case es.pace != nil:
				all = es.glances(all, first, s.count)
			default:
				all = es.firings(all)
			}
			return all
		case sectionFault:
			return all
		default:
			all = es.glances(all, first, s.count)
		}
		first += s.count
	}
	return all
}

// firings appends a Glance of each timer that may fire.
func (es *Events) firings(all []Glance) []Glance {
	for i := range es.nodes.at {
		if n := es.fires(i); n > 0 {
			seen := es.nodes.at[i].seen.Timers[:n]
			for k := range seen {
				all = append(all, Glance{typeOf(&seen[k].Signal), seen[k].Step, uint8(i + 1), 0, sim.KindTimer, 0})
			}
		}
	}
	return all
}

// Glance returns a Glance of the k-th possible event, after Count. It may be a fault.
func (es *Events) Glance(k int) Glance {
	if es.filtered() {
		k = int(es.free[k])
	}
	return es.glance(k)
}

// carried returns a Glance of the delivery of packet p from a channel. In *to the caller keeps the receiver of
// the previous channel, which is 0 at first. carried advances it to the receiver of this channel, so the
// caller must pass channels in ascending order.
func (es *Events) carried(link sim.Link, channel int, to *int, p *netsim.Packet) Glance {
	n := len(es.nodes.at)
	for channel >= (*to+1)*n {
		*to++
	}
	return Glance{typeOf(&p.Message), p.Step, uint8(*to + 1), uint8(channel - *to*n + 1), sim.KindMessage, link}
}

// glances appends a Glance of n events, beginning with the k-th.
func (es *Events) glances(all []Glance, k, n int) []Glance {
	for end := k + n; k < end; k++ {
		all = append(all, es.glance(k))
	}
	return all
}

// glance returns a Glance of the k-th event of es.spans.
func (es *Events) glance(k int) Glance {
	es.peeked = happening{}
	es.find(k, &es.peeked)
	return es.peeked.glance()
}

func (h *happening) glance() Glance {
	g := Glance{typeOf(&h.Value), h.cause, uint8(h.Node.Index() + 1), uint8(h.From.Index() + 1), h.Kind, h.Link}
	if h.Kind == sim.KindQuorum {
		if q, is := h.Value.(sim.Quorum); is {
			g.Type = typeOf(&q[0].Message)
		}
	}
	return g
}

// typeOf returns the first word of an interface, which is the same for all values of a type.
func typeOf(value *any) uintptr { return *(*uintptr)(unsafe.Pointer(value)) }
