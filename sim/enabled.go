package sim

import (
	"fmt"
	"strconv"

	"macemc/choose"
	"macemc/netsim"
)

// Enabled events have one canonical order, a function of the state alone:
// by kind, then by node; messages by link, receiver, sender and, in a set,
// identity; timers and tasks of a node by identity; actions as offered.

// enabled counts the possible events and sets the question's runs of equal
// weight.
func (w *World) enabled() int {
	if w.guarded {
		if w.dirty != 0 {
			w.refresh()
		}
	} else {
		w.members = w.set.Len()
	}
	q := &w.question
	q.Runs = q.Runs[:0]
	if w.sys.Weight != nil {
		return w.enabledWeighted()
	}
	n := w.run(KindScript, w.script.Len())
	n += w.run(KindAction, w.actions)
	n += w.run(KindTask, w.tasks)
	n += w.run(KindMessage, w.messages())
	n += w.run(KindTimer, w.timers)
	return n
}

// run adds the events of one kind to the question.
func (w *World) run(kind Kind, n int) int {
	if n > 0 {
		w.question.Runs = append(w.question.Runs, choose.Run{N: n, Weight: kindInfo[kind].weight})
	}
	return n
}

// messages is the number of messages that may be delivered.
func (w *World) messages() int { return w.openTCP().Len() + w.openUDP().Len() + w.members }

// enabledWeighted asks System.Weight about every event.
func (w *World) enabledWeighted() int {
	n := w.script.Len() + w.actions + w.tasks + w.messages() + w.timers
	for k := range n {
		e, _ := w.event(k)
		factor := w.sys.Weight(e)
		if factor < 0 {
			panic(fmt.Sprintf("macemc: system %s: Weight of %s is %v; a weight is 0 or more", w.sys.Name, e.Text(w.walker), factor))
		}
		w.question.Runs = append(w.question.Runs, choose.Run{N: 1, Weight: factor * kindInfo[e.Kind].weight})
	}
	return n
}

// openTCP and openUDP are the channels whose head may be delivered.
func (w *World) openTCP() *netsim.Bits { return w.open(w.tcp, &w.openT) }
func (w *World) openUDP() *netsim.Bits { return w.open(w.udp, &w.openU) }

func (w *World) open(f *netsim.FIFO, guarded *netsim.Bits) *netsim.Bits {
	if w.guarded {
		return guarded
	}
	return f.Ready()
}

// Enabled is the number of events that are possible now.
func (w *World) Enabled() int { return w.enabled() }

// Event is the k-th possible event, in canonical order, after Enabled.
func (w *World) Event(k int) Event {
	e, _ := w.event(k)
	return e
}

// spot says where an event was found, for take.
type spot struct {
	node    int32
	slot    int32 // a node's task, timer, or member of its set
	channel int32
	cause   int32
}

// event finds the k-th possible event.
func (w *World) event(k int) (Event, spot) {
	if c := w.script.Len(); k < c {
		i := w.script.At(k)
		ns := &w.nodes[i]
		return Event{Node: addrOf(i), Kind: KindScript, Value: ns.script[ns.next]}, spot{node: int32(i), cause: -1}
	} else {
		k -= c
	}
	if k < w.actions {
		for i := range w.nodes {
			if ns := &w.nodes[i]; k < len(ns.offers) {
				return Event{Node: addrOf(i), Kind: KindAction, Value: ns.offers[k]}, spot{node: int32(i), cause: -1}
			} else {
				k -= len(ns.offers)
			}
		}
	}
	k -= w.actions
	if k < w.tasks {
		for i := range w.nodes {
			if ns := &w.nodes[i]; k < len(ns.tasks) {
				t := &ns.tasks[k]
				return Event{Node: addrOf(i), Kind: KindTask, Value: t.signal}, spot{node: int32(i), slot: int32(k), cause: t.step}
			} else {
				k -= len(ns.tasks)
			}
		}
	}
	k -= w.tasks
	if open := w.openTCP(); k < open.Len() {
		return w.head(w.tcp, LinkTCP, open.At(k))
	} else {
		k -= open.Len()
	}
	if open := w.openUDP(); k < open.Len() {
		return w.head(w.udp, LinkUDP, open.At(k))
	} else {
		k -= open.Len()
	}
	if k < w.members {
		return w.member(k)
	}
	k -= w.members
	for i := range w.nodes {
		if ns := &w.nodes[i]; k < len(ns.timers) {
			t := &ns.timers[k]
			return Event{Node: addrOf(i), Kind: KindTimer, Value: t.signal}, spot{node: int32(i), slot: int32(k), cause: t.step}
		} else {
			k -= len(ns.timers)
		}
	}
	panic("macemc bug: sim: the event asked for is beyond the last one that was counted")
}

func (w *World) head(f *netsim.FIFO, link Link, channel int) (Event, spot) {
	from, to := f.Ends(channel)
	p := f.Head(channel)
	return Event{Node: addrOf(to), Kind: KindMessage, Link: link, From: addrOf(from), Value: p.Message},
		spot{node: int32(to), channel: int32(channel), cause: p.Step}
}

func (w *World) member(k int) (Event, spot) {
	for i := range w.nodes {
		all := w.set.For(i)
		count := len(all)
		if w.guarded {
			count = len(w.nodes[i].accepted)
		}
		if k >= count {
			k -= count
			continue
		}
		if w.guarded {
			k = int(w.nodes[i].accepted[k])
		}
		m := &all[k]
		return Event{Node: addrOf(i), Kind: KindMessage, Link: LinkSet, From: addrOf(m.From), Value: m.Message},
			spot{node: int32(i), slot: int32(k), cause: m.Step}
	}
	panic("macemc bug: sim: fewer messages may be delivered than were counted")
}

// take consumes the k-th possible event.
func (w *World) take(k int) (e Event, cause int) {
	e, at := w.event(k)
	i := int(at.node)
	ns := &w.nodes[i]
	switch e.Kind {
	case KindScript:
		ns.next++
		w.script.Put(i, ns.next < len(ns.script))
	case KindAction: // stays offered for as long as the node offers it
	case KindTask:
		if t := &ns.tasks[at.slot]; t.count > 1 {
			t.count--
		} else {
			ns.tasks = append(ns.tasks[:at.slot], ns.tasks[at.slot+1:]...)
			w.tasks--
		}
	case KindMessage:
		w.receive(e.Link, at)
	case KindTimer:
		ns.timers = append(ns.timers[:at.slot], ns.timers[at.slot+1:]...)
		w.timers--
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot take a %s event", e.Kind))
	}
	return e, int(at.cause)
}

// receive takes a message off its link.
func (w *World) receive(link Link, at spot) {
	switch link {
	case LinkTCP:
		w.audit.taken(w.tcp.Pop(int(at.channel)))
		w.sums.tcp(int(at.channel))
	case LinkUDP:
		w.audit.taken(w.udp.Pop(int(at.channel)))
		w.sums.udp(int(at.channel))
	case LinkSet: // a message of a set stays
		w.audit.taken(w.set.For(int(at.node))[at.slot].Packet)
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot receive by %s", link))
	}
}

// asked is the question that the world is asking, as answerers see it.
type asked struct {
	w       *World
	why     string
	weights []int // a Weighted's; nil: a Choose
}

// Why is what a coin is for.
func (a *asked) Why() string {
	if a.w.question.Kind == choose.Event {
		return ""
	}
	return a.why
}

// Alternative is the identity of alternative i.
func (a *asked) Alternative(i int) string {
	if a.w.question.Kind == choose.Event {
		return a.w.Event(i).Text(a.w.walker)
	}
	if a.weights != nil {
		return fmt.Sprintf("%d (weight %d)", i, a.weights[i])
	}
	return strconv.Itoa(i)
}
