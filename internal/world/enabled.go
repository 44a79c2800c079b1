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

// A section is the possible events of one sort. They stand in canonical order.
type section uint8

const (
	sectionScript section = iota
	sectionAction
	sectionTask
	sectionTCP
	sectionUDP
	sectionSet
	sectionClear
	sectionFlushed
	sectionError
	sectionConsequence
	sectionTimer
	sectionFault
)

// span is a section in which there is an event.
type span struct {
	of    section
	count int
}

// enabled counts the possible events, by sections, and sets the question's runs
// of equal weight.
func (w *World) enabled() int {
	if (w.links.guarded || w.links.barred) && w.links.dirty != 0 {
		w.refresh()
	}
	if w.environ.storm {
		w.environ.list()
		if w.cover != nil {
			w.cover.possible(w.environ.consequences)
		}
	}
	n, runs, spans := 0, w.question.Runs[:0], w.spans[:0]
	count := func(of section, c int) int {
		if c > 0 {
			spans = append(spans, span{of, c})
			n += c
		}
		return c
	}
	run := func(kind sim.Kind, c int) {
		if c > 0 {
			runs = append(runs, choose.Run{N: c, Weight: kind.Weight()})
		}
	}
	each := func(of section, events []happening) {
		count(of, len(events))
		for k := range events {
			run(events[k].Kind, 1)
		}
	}
	l := &w.links
	run(sim.KindScript, count(sectionScript, w.script.Len()))
	run(sim.KindAction, count(sectionAction, w.actions))
	run(sim.KindTask, count(sectionTask, w.tasks))
	run(sim.KindMessage, count(sectionTCP, l.openTCP().Len())+count(sectionUDP, l.openUDP().Len())+count(sectionSet, l.openSet()))
	if l.tcp.Special() {
		run(sim.KindClear, count(sectionClear, l.tcp.Clear().Len()))
		run(sim.KindFlushed, count(sectionFlushed, l.tcp.Flushed().Len()))
		run(sim.KindError, count(sectionError, l.tcp.Errors().Len()))
		if w.cover != nil {
			w.cover.kinds[sim.KindError].possible += l.tcp.Errors().Len()
		}
	}
	if w.environ.storm {
		each(sectionConsequence, w.environ.consequences)
	}
	run(sim.KindTimer, count(sectionTimer, w.firing()))
	if w.environ.storm {
		each(sectionFault, w.environ.faults)
	}
	w.question.Runs, w.spans = runs, spans
	if w.filtered() {
		n = w.unheld(n)
	}
	if w.sys.Weight != nil {
		w.weigh(n)
	}
	return n
}

// filtered reports whether not all that the spans have is possible.
func (w *World) filtered() bool { return w.environ.paused != 0 || w.links.slow != nil }

// unheld leaves out what a paused node would do, and what is on a slow link while
// anything else is to be done, and counts the rest.
func (w *World) unheld(n int) int {
	w.free, w.question.Runs = w.free[:0], w.question.Runs[:0]
	wait := w.links.slow != nil && w.urgent(n)
	for k := range n {
		var h happening
		if w.find(k, &h); !w.environ.held(&h) && !(wait && w.links.late(&h)) {
			w.free = append(w.free, int32(k))
			w.question.Runs = append(w.question.Runs, choose.Run{N: 1, Weight: h.Kind.Weight()})
		}
	}
	return len(w.free)
}

// urgent reports whether there is an event besides timers, faults, messages on slow
// links, and those in a set, which are there for ever.
func (w *World) urgent(n int) bool {
	var h happening
	for k := range n {
		w.find(k, &h)
		if h.Kind != sim.KindTimer && !h.Kind.Fault() && h.Link != sim.LinkSet && !w.environ.held(&h) && !w.links.late(&h) {
			return true
		}
	}
	return false
}

// late reports whether an event is the delivery of a message on a slow link.
func (l *links) late(h *happening) bool {
	return h.Kind == sim.KindMessage && l.slow(h.From, h.Node)
}

// UnderWay is the number of messages on connections, of datagrams and of messages
// in bags that are to be delivered, and of tasks that are to run. What is in a set
// stays there.
func (w *World) UnderWay() int { return w.InFlight() + w.tasks }

// firing is the number of timers that may fire.
func (w *World) firing() int {
	if w.environ.early != 0 && w.pace == nil {
		return w.timers.count
	}
	n := 0
	for i := range w.nodes {
		n += w.fires(i)
	}
	return n
}

// fires is the number of a node's timers that may fire.
func (w *World) fires(i int) int {
	if !w.environ.mayFire(i) {
		return 0
	}
	return w.nodes[i].firing(w)
}

// firing is the number of its timers that may fire, as far as the clock says.
func (ns *nodeState) firing(w *World) int {
	if w.pace != nil {
		return len(ns.ripe)
	}
	return len(ns.seen.Timers)
}

// mayFire reports whether a node's timers may fire: early firings are not used
// up, or nothing is under way to the node or from it.
func (e *environment) mayFire(i int) bool { return e.early != 0 || !e.links.concerned(i) }

// concerned reports whether a message is under way to a node or from it.
func (l *links) concerned(i int) bool {
	for j := range l.n {
		for _, m := range l.set.For(j) {
			if m.Count > 0 && (j == i || m.From == i) {
				return true
			}
		}
		for _, c := range [2]int{l.tcp.Channel(i, j), l.tcp.Channel(j, i)} {
			if len(l.tcp.Packets(c)) > 0 || l.udp.Ready().Has(c) {
				return true
			}
		}
	}
	return false
}

// weigh asks System.Weight about every event.
func (w *World) weigh(n int) {
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
}

// openTCP and openUDP are the channels whose head may be delivered.
func (l *links) openTCP() *netsim.Bits {
	if l.guarded || l.barred {
		return &l.acceptedTCP
	}
	return l.tcp.Messages()
}

func (l *links) openUDP() *netsim.Bits {
	if l.guarded || l.barred {
		return &l.acceptedUDP
	}
	return l.udp.Ready()
}

// openSet is the number of messages of sets that may be delivered.
func (l *links) openSet() int {
	if l.guarded || l.barred {
		return l.members
	}
	return l.set.Len()
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

// Caused is the k-th possible event, after Enabled, and the step that led to it; -1:
// the start of the run, or nothing that is known.
func (w *World) Caused(k int) (e sim.Event, cause int) {
	e, at := w.event(k)
	return e, int(at.cause)
}

// Look is the k-th possible event, after Enabled, as long as no other is asked for:
// it is not copied.
func (w *World) Look(k int) *sim.Event {
	if w.filtered() {
		k = int(w.free[k])
	}
	w.peeked = happening{}
	w.find(k, &w.peeked)
	return &w.peeked.Event
}

// event is the k-th possible event, after enabled, and where it was found.
func (w *World) event(k int) (sim.Event, spot) {
	var h happening
	if w.filtered() {
		k = int(w.free[k])
	}
	w.find(k, &h)
	return h.Event, h.spot
}

// find writes down the k-th event of the spans: what a paused node would do is
// among them.
func (w *World) find(k int, h *happening) {
	at := 0
	for k >= w.spans[at].count {
		k -= w.spans[at].count
		at++
	}
	l := &w.links
	switch of := w.spans[at].of; of {
	case sectionScript:
		i := w.script.At(k)
		ns := &w.nodes[i]
		h.own(sim.KindScript, i, 0, ns.script[ns.next], -1)
	case sectionAction:
		i := 0
		for ; k >= len(w.nodes[i].offers); i++ {
			k -= len(w.nodes[i].offers)
		}
		h.own(sim.KindAction, i, 0, w.nodes[i].offers[k], -1)
	case sectionTask:
		i := 0
		for ; k >= len(w.nodes[i].tasks); i++ {
			k -= len(w.nodes[i].tasks)
		}
		t := &w.nodes[i].tasks[k]
		h.own(sim.KindTask, i, k, t.signal, t.step)
	case sectionTCP:
		c := l.openTCP().At(k)
		h.delivery(l, sim.LinkTCP, c, l.tcp.Head(c))
	case sectionUDP:
		c := l.openUDP().At(k)
		h.delivery(l, sim.LinkUDP, c, l.udp.Head(c))
	case sectionSet:
		w.member(k, h)
	case sectionClear:
		c := l.tcp.Clear().At(k)
		from, to := l.tcp.Ends(c)
		h.about(sim.KindClear, from, to, c)
	case sectionFlushed:
		h.own(sim.KindFlushed, l.tcp.Flushed().At(k), 0, nil, -1)
	case sectionError:
		c := l.tcp.Errors().At(k)
		from, to := l.tcp.Ends(c)
		h.about(sim.KindError, to, from, c)
	case sectionConsequence:
		*h = w.environ.consequences[k]
	case sectionTimer:
		i := 0
		for ; k >= w.fires(i); i++ {
			k -= w.fires(i)
		}
		if w.pace != nil {
			k = int(w.nodes[i].ripe[k])
		}
		t := &w.nodes[i].seen.Timers[k]
		h.own(sim.KindTimer, i, k, t.Signal, t.Step)
	case sectionFault:
		*h = w.environ.faults[k]
	default:
		panic(fmt.Sprintf("macemc bug: world: there is no section %d", of))
	}
}

// own is an event of a node's own.
func (h *happening) own(kind sim.Kind, i, slot int, value any, cause int32) {
	h.Node, h.Kind, h.Value = addrOf(i), kind, value
	h.spot = spot{node: int32(i), slot: int32(slot), cause: cause}
}

// about is an event at one node that concerns its connection to another.
func (h *happening) about(kind sim.Kind, node, peer, channel int) {
	h.Node, h.Kind, h.Link, h.From = addrOf(node), kind, sim.LinkTCP, addrOf(peer)
	h.spot = spot{node: int32(node), channel: int32(channel), cause: -1}
}

// delivery is that of a packet, or what else may become of it.
func (h *happening) delivery(l *links, link sim.Link, channel int, p *netsim.Packet) {
	from, to := l.tcp.Ends(channel)
	h.Node, h.Kind, h.Link, h.From, h.Value = addrOf(to), sim.KindMessage, link, addrOf(from), p.Message
	h.spot = spot{node: int32(to), channel: int32(channel), cause: p.Step}
}

// member is the k-th message of sets that may be delivered.
func (w *World) member(k int, h *happening) {
	restricted := w.links.guarded || w.links.barred
	for i := range w.nodes {
		all := w.links.set.For(i)
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
		h.own(sim.KindMessage, i, k, m.Message, m.Step)
		h.Link, h.From = sim.LinkSet, addrOf(m.From)
		if m.Count > 0 {
			h.Link = sim.LinkBag
		}
		return
	}
	panic("macemc bug: world: fewer messages may be delivered than were counted")
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
		if e.Joins() {
			w.join(i)
		} else if e.Leaves() {
			w.leave(i)
		}
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
			w.timers.noted[ns.seen.Timers[at.slot].Number].tally.happened++
		}
		if w.environ.early > 0 && w.links.concerned(i) {
			w.environ.early--
			w.sums.rest()
		}
		if w.pace != nil {
			w.fire(i, int(at.slot))
		}
		ns.seen.Timers = append(ns.seen.Timers[:at.slot], ns.seen.Timers[at.slot+1:]...)
		w.timers.count--
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
		p, opened := w.links.tcp.Pop(c)
		w.audit.taken(p)
		w.sums.tcp(c)
		if opened {
			w.bothEnds(c)
		}
	case sim.LinkUDP:
		w.audit.taken(w.links.udp.Pop(c))
		w.sums.udp(c)
	case sim.LinkSet, sim.LinkBag:
		w.audit.taken(w.links.set.Take(int(at.node), int(at.slot)))
		if link == sim.LinkBag {
			w.sums.set(int(at.node))
			w.links.dirty |= 1 << at.node
		}
	default:
		panic(fmt.Sprintf("macemc bug: sim: cannot receive by %s", link))
	}
}

// asked is the question that the world is asking, as answerers see it.
type asked struct {
	w       *World
	why     string
	weights []int            // a Weighted's; nil: a Choose
	sides   []int            // of a Weighted: those that may be answered; nil: all
	words   func(int) string // what the alternatives are called; nil: their numbers
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
		if a.w.environ.healing {
			return sim.KindHeal.String()
		}
		return a.w.text(a.w.Event(i))
	}
	if a.sides != nil {
		i = a.sides[i]
	}
	text := strconv.Itoa(i)
	if a.words != nil {
		text = a.words(i)
	}
	if a.weights != nil {
		return fmt.Sprintf("%s (weight %d)", text, a.weights[i])
	}
	return text
}
