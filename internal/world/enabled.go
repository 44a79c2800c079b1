package world

import (
	"fmt"
	"math"
	"strconv"

	"macemc/choose"
	"macemc/netsim"
	"macemc/sim"
)

// Enabled events have one canonical order, a function of the state alone: by
// kind, then by node; messages by link, receiver, sender and, in a set,
// identity; timers and tasks of a node by identity; actions as offered.

// enabled counts the possible events and sets the question's runs of equal
// weight.
func (w *World) enabled() int {
	if (w.guarded || w.barred) && w.dirty != 0 {
		w.refresh()
	}
	if w.storm {
		w.look()
	}
	if w.sys.Weight != nil {
		return w.enabledWeighted()
	}
	n, runs := 0, w.question.Runs[:0]
	add := func(kind sim.Kind, count int) {
		if count > 0 {
			runs = append(runs, choose.Run{N: count, Weight: kind.Weight()})
			n += count
		}
	}
	add(sim.KindScript, w.script.Len())
	add(sim.KindAction, w.actions)
	add(sim.KindTask, w.tasks)
	add(sim.KindMessage, w.messages())
	if w.tcp.Special() {
		add(sim.KindClear, w.tcp.Clear().Len())
		add(sim.KindFlushed, w.tcp.Flushed().Len())
		add(sim.KindError, w.tcp.Errors().Len())
		if w.cover != nil {
			w.cover.kinds[sim.KindError].possible += w.tcp.Errors().Len()
		}
	}
	if w.storm {
		for k := range w.aftermath {
			add(w.aftermath[k].Kind, 1)
		}
	}
	add(sim.KindTimer, w.firing())
	if w.storm {
		for k := range w.faulty {
			add(w.faulty[k].Kind, 1)
		}
	}
	w.question.Runs = runs
	return n
}

// messages is the number of messages that may be delivered.
func (w *World) messages() int { return w.openTCP().Len() + w.openUDP().Len() + w.openSet() }

// UnderWay is the number of messages on connections and of datagrams that are
// to be delivered, and of tasks that are to run. What is in a set stays there.
func (w *World) UnderWay() int { return w.tcp.Len() + w.udp.Len() + w.tasks }

// firing is the number of timers that may fire.
func (w *World) firing() int {
	if w.early != 0 {
		return w.timers
	}
	n := 0
	for i := range w.nodes {
		if w.mayFire(i) {
			n += len(w.nodes[i].seen.Timers)
		}
	}
	return n
}

// mayFire reports whether a node's timers may fire: early firings are not used
// up, or nothing is under way to the node or from it.
func (w *World) mayFire(i int) bool { return w.early != 0 || !w.concerned(i) }

// concerned reports whether a message is under way to a node or from it.
func (w *World) concerned(i int) bool {
	for j := range w.n {
		for _, c := range [2]int{w.tcp.Channel(i, j), w.tcp.Channel(j, i)} {
			if len(w.tcp.Packets(c)) > 0 || w.udp.Ready().Has(c) {
				return true
			}
		}
	}
	return false
}

// enabledWeighted asks System.Weight about every event.
func (w *World) enabledWeighted() int {
	n := w.script.Len() + w.actions + w.tasks + w.messages() + w.firing()
	if w.tcp.Special() {
		n += w.tcp.Clear().Len() + w.tcp.Flushed().Len() + w.tcp.Errors().Len()
	}
	if w.storm {
		n += len(w.aftermath) + len(w.faulty)
	}
	w.question.Runs = w.question.Runs[:0]
	for k := range n {
		e, _ := w.event(k)
		w.hook = "System.Weight"
		factor := w.sys.Weight(e)
		w.hook = ""
		if !(factor >= 0) || math.IsInf(factor, 1) {
			panic(fmt.Sprintf("macemc: system %s: Weight of %s is %v; a weight is 0 or more, and finite", w.sys.Name, w.text(e), factor))
		}
		w.question.Runs = append(w.question.Runs, choose.Run{N: 1, Weight: factor * e.Kind.Weight()})
	}
	return n
}

// openTCP and openUDP are the channels whose head may be delivered.
func (w *World) openTCP() *netsim.Bits {
	if w.guarded || w.barred {
		return &w.openT
	}
	return w.tcp.Messages()
}

func (w *World) openUDP() *netsim.Bits {
	if w.guarded || w.barred {
		return &w.openU
	}
	return w.udp.Ready()
}

// openSet is the number of messages of sets that may be delivered.
func (w *World) openSet() int {
	if w.guarded || w.barred {
		return w.members
	}
	return w.set.Len()
}

// Enabled is the number of events that are possible now.
func (w *World) Enabled() int { return w.enabled() }

// Event is the k-th possible event, in canonical order, after Enabled.
func (w *World) Event(k int) sim.Event {
	e, _ := w.event(k)
	return e
}

// Happening is the k-th possible event, after Enabled, and its slot: which of its
// node's tasks or timers it is, or which message of its set.
func (w *World) Happening(k int) (e sim.Event, slot int) {
	e, at := w.event(k)
	return e, int(at.slot)
}

// spot says where an event was found, for take.
type spot struct {
	node    int32
	slot    int32 // a node's task, timer, or member of its set
	channel int32
	cause   int32
}

// event finds the k-th possible event.
func (w *World) event(k int) (sim.Event, spot) {
	if c := w.script.Len(); k < c {
		i := w.script.At(k)
		ns := &w.nodes[i]
		return sim.Event{Node: addrOf(i), Kind: sim.KindScript, Value: ns.script[ns.next]}, spot{node: int32(i), cause: -1}
	} else {
		k -= c
	}
	if k < w.actions {
		for i := range w.nodes {
			if ns := &w.nodes[i]; k < len(ns.offers) {
				return sim.Event{Node: addrOf(i), Kind: sim.KindAction, Value: ns.offers[k]}, spot{node: int32(i), cause: -1}
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
				return sim.Event{Node: addrOf(i), Kind: sim.KindTask, Value: t.signal}, spot{node: int32(i), slot: int32(k), cause: t.step}
			} else {
				k -= len(ns.tasks)
			}
		}
	}
	k -= w.tasks
	if open := w.openTCP(); k < open.Len() {
		c := open.At(k)
		return w.delivery(sim.LinkTCP, c, w.tcp.Head(c))
	} else {
		k -= open.Len()
	}
	if open := w.openUDP(); k < open.Len() {
		c := open.At(k)
		return w.delivery(sim.LinkUDP, c, w.udp.Head(c))
	} else {
		k -= open.Len()
	}
	if open := w.openSet(); k < open {
		return w.member(k)
	} else {
		k -= open
	}
	if w.tcp.Special() {
		if c := w.tcp.Clear().Len(); k < c {
			channel := w.tcp.Clear().At(k)
			from, to := w.tcp.Ends(channel)
			return about(sim.KindClear, from, to, channel)
		} else {
			k -= c
		}
		if c := w.tcp.Flushed().Len(); k < c {
			i := w.tcp.Flushed().At(k)
			return sim.Event{Node: addrOf(i), Kind: sim.KindFlushed}, spot{node: int32(i), cause: -1}
		} else {
			k -= c
		}
		if c := w.tcp.Errors().Len(); k < c {
			channel := w.tcp.Errors().At(k)
			from, to := w.tcp.Ends(channel)
			return about(sim.KindError, to, from, channel)
		} else {
			k -= c
		}
	}
	if w.storm {
		if k < len(w.aftermath) {
			return w.aftermath[k].Event, w.aftermath[k].spot
		}
		k -= len(w.aftermath)
	}
	for i := range w.nodes {
		if !w.mayFire(i) {
			continue
		}
		if ns := &w.nodes[i]; k < len(ns.seen.Timers) {
			t := &ns.seen.Timers[k]
			return sim.Event{Node: addrOf(i), Kind: sim.KindTimer, Value: t.Signal}, spot{node: int32(i), slot: int32(k), cause: t.Step}
		} else {
			k -= len(ns.seen.Timers)
		}
	}
	if w.storm && k < len(w.faulty) {
		return w.faulty[k].Event, w.faulty[k].spot
	}
	panic("macemc bug: sim: the event asked for is beyond the last one that was counted")
}

// about is an event at one node that concerns its connection to another.
func about(kind sim.Kind, node, peer, channel int) (sim.Event, spot) {
	return sim.Event{Node: addrOf(node), Kind: kind, Link: sim.LinkTCP, From: addrOf(peer)},
		spot{node: int32(node), channel: int32(channel), cause: -1}
}

func (w *World) delivery(link sim.Link, channel int, p *netsim.Packet) (sim.Event, spot) {
	from, to := w.tcp.Ends(channel)
	return sim.Event{Node: addrOf(to), Kind: sim.KindMessage, Link: link, From: addrOf(from), Value: p.Message},
		spot{node: int32(to), channel: int32(channel), cause: p.Step}
}

func (w *World) member(k int) (sim.Event, spot) {
	restricted := w.guarded || w.barred
	for i := range w.nodes {
		all := w.set.For(i)
		count := len(all)
		if restricted {
			count = len(w.nodes[i].accepted)
		}
		if k >= count {
			k -= count
			continue
		}
		if restricted {
			k = int(w.nodes[i].accepted[k])
		}
		m := &all[k]
		return sim.Event{Node: addrOf(i), Kind: sim.KindMessage, Link: sim.LinkSet, From: addrOf(m.From), Value: m.Message},
			spot{node: int32(i), slot: int32(k), cause: m.Step}
	}
	panic("macemc bug: sim: fewer messages may be delivered than were counted")
}

// take consumes the k-th possible event.
func (w *World) take(k int) (e sim.Event, cause int) {
	e, at := w.event(k)
	i := int(at.node)
	ns := &w.nodes[i]
	switch e.Kind {
	case sim.KindScript:
		ns.next++
		w.script.Put(i, ns.next < len(ns.script))
	case sim.KindAction: // stays offered for as long as the node offers it
	case sim.KindTask:
		if t := &ns.tasks[at.slot]; t.count > 1 {
			t.count--
		} else {
			ns.tasks = append(ns.tasks[:at.slot], ns.tasks[at.slot+1:]...)
			w.tasks--
		}
	case sim.KindMessage:
		w.receive(e.Link, at)
	case sim.KindTimer:
		if w.cover != nil {
			w.noted[ns.seen.Timers[at.slot].Number].tally.happened++
		}
		if w.early > 0 && w.concerned(i) {
			w.early--
			w.sums.rest()
		}
		ns.seen.Timers = append(ns.seen.Timers[:at.slot], ns.seen.Timers[at.slot+1:]...)
		w.timers--
	default:
		w.takeRest(e, at)
	}
	return e, int(at.cause)
}

// receive takes a message off its link.
func (w *World) receive(link sim.Link, at spot) {
	c := int(at.channel)
	switch link {
	case sim.LinkTCP:
		p, opened := w.tcp.Pop(c)
		w.audit.taken(p)
		w.sums.tcp(c)
		if opened {
			w.bothEnds(c)
		}
	case sim.LinkUDP:
		w.audit.taken(w.udp.Pop(c))
		w.sums.udp(c)
	case sim.LinkSet: // a message of a set stays
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
	sides   []int // of a Weighted: those that may be answered; nil: all
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
		if a.w.healing {
			return sim.KindHeal.String()
		}
		return a.w.text(a.w.Event(i))
	}
	if a.sides != nil {
		i = a.sides[i]
	}
	if a.weights != nil {
		return fmt.Sprintf("%d (weight %d)", i, a.weights[i])
	}
	return strconv.Itoa(i)
}
