package world

import (
	"fmt"
	"slices"

	"macemc/choose"
	"macemc/internal/contract"
	"macemc/internal/handler"
	"macemc/internal/net"
	"macemc/internal/state"
	"macemc/netsim"
	"macemc/sim"
	"macemc/trace"
)

// Enabled events have one canonical order, a function of the state alone: by
// kind, then by node; messages by link, receiver, sender and, in a set,
// identity; timers and tasks of a node by identity; actions as offered.

// Events has the events that are possible now.
type Events struct {
	*setting
	timers  *timers
	run     *Run
	links   *net.Links
	nodes   *nodes
	environ *Environment

	spans   []span       // the sections that have possible events now, as Count made them
	runs    []choose.Run // the weights of the events: each run says how many events in a row have one weight
	peeked  happening    // the event that Look returned last
	quorums handler.Quorums
	hook    string  // the name of the system's function that is being called, such as Weight, or ""
	free    []int32 // while a node is paused: the indices, in spans, of events that need not wait
	count   int     // the result of the last Count
	counted int     // the number of the stay in a state (see state.Sums) in which count was computed; 0 if it was computed in none
}

// asks records the name of the function of the system, such as Weight, that is about to be called.
// An empty hook means that the call has ended.
func (es *Events) asks(hook string) { es.hook = hook }

// asked returns the name that asks has recorded last, and clears it. It is called after a panic, to
// say which function of the system has panicked.
func (es *Events) asked() (hook string) {
	hook, es.hook = es.hook, ""
	return hook
}

// A section is a sort of possible events, such as the messages on connections. All events
// of one section are neighbours in the canonical order.
type section uint8

const (
	sectionScript section = iota
	sectionAction
	sectionTask
	sectionTCP
	sectionUDP
	sectionSet
	sectionQuorum
	sectionClear
	sectionFlushed
	sectionError
	sectionConsequence
	sectionTimer
	sectionFault
)

// span is a section that has possible events, and their number.
type span struct {
	of    section
	count int
}

// Count returns the number of events that are possible now. It also makes the list of them, by
// sections and in runs of equal weight, which the other methods read.
func (es *Events) Count() int {
	if stay := es.nodes.sums.Stay(); stay == 0 || stay != es.counted || es.audit != nil {
		es.count, es.counted = es.list(), stay
	}
	return es.count
}

// list does the work of Count if the list may have changed.
func (es *Events) list() int {
	l, e, all := es.links, es.environ, es.nodes
	if l.Restricted() && l.Dirty(0) >= 0 {
		es.refresh()
	}
	if e.storm {
		e.list()
		if es.cover != nil {
			for k := range e.consequences {
				es.cover.Possible(e.consequences[k].Kind, 1)
			}
		}
	}
	n, runs, spans := 0, es.runs[:0], es.spans[:0]
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
	run(sim.KindScript, count(sectionScript, all.script.Len()))
	run(sim.KindAction, count(sectionAction, all.actions))
	run(sim.KindTask, count(sectionTask, all.tasks))
	run(sim.KindMessage, count(sectionTCP, l.OpenTCP().Len())+count(sectionUDP, l.OpenUDP().Len())+count(sectionSet, l.OpenSet()))
	run(sim.KindQuorum, count(sectionQuorum, all.quorums))
	if l.TCP().Special() {
		run(sim.KindClear, count(sectionClear, l.TCP().Clear().Len()))
		run(sim.KindFlushed, count(sectionFlushed, l.TCP().Flushed().Len()))
		run(sim.KindError, count(sectionError, l.TCP().Errors().Len()))
		if es.cover != nil {
			es.cover.Possible(sim.KindError, l.TCP().Errors().Len())
		}
	}
	if e.storm {
		count(sectionConsequence, len(e.consequences))
		for k := range e.consequences {
			run(e.consequences[k].Kind, 1)
		}
	}
	run(sim.KindTimer, count(sectionTimer, es.firing()))
	if e.storm && count(sectionFault, len(e.faults)) > 0 {
		run(e.faults[0].Kind, len(e.faults)) // all are rare, so a walk skips them as one
	}
	es.runs, es.spans = runs, spans
	if es.filtered() {
		n = es.unheld(n)
	}
	if es.sys.Weight != nil {
		es.weigh(n)
	}
	return n
}

// filtered reports whether some events in es.spans are not possible now, for example
// because their node is paused.
func (es *Events) filtered() bool { return !es.environ.paused.Empty() || es.links.Slow() }

// unheld lists the possible ones of the n events in es.spans, and returns their number. Events of paused
// nodes are not possible. Messages on slow links are not possible as long as an urgent event is.
func (es *Events) unheld(n int) int {
	es.free, es.runs = es.free[:0], es.runs[:0]
	wait := es.links.Slow() && es.urgent(n)
	for k := range n {
		var h happening
		if es.find(k, &h); !es.environ.held(&h) && !(wait && es.late(&h)) {
			es.free = append(es.free, int32(k))
			es.runs = append(es.runs, choose.Run{N: 1, Weight: h.Kind.Weight()})
		}
	}
	return len(es.free)
}

// urgent reports whether one of the n events in es.spans must happen before messages on slow links. Timers,
// faults and events of paused nodes are not urgent, and neither are messages of a set, which stay there for ever.
func (es *Events) urgent(n int) bool {
	for k := range n {
		var h happening
		es.find(k, &h)
		if h.Kind != sim.KindTimer && !h.Kind.Fault() && h.Link != sim.LinkSet && !es.environ.held(&h) && !es.late(&h) {
			return true
		}
	}
	return false
}

// UnderWay returns the number of messages on connections, of datagrams, of messages in bags
// that can be delivered, and of tasks that can run. Messages in a set are not counted,
// since they stay there.
func (es *Events) UnderWay() int { return es.links.InFlight() + es.nodes.tasks }

// late reports whether an event is the delivery of a message on a slow link.
func (es *Events) late(h *happening) bool {
	if q, is := h.Value.(sim.Quorum); is && h.Kind == sim.KindQuorum {
		return slices.ContainsFunc(q, func(t sim.Sent[sim.Message]) bool { return es.links.Slows(t.From, h.Node) })
	}
	return h.Kind == sim.KindMessage && es.links.Slows(h.From, h.Node)
}

// firing returns the number of timers, on all nodes, that may fire.
func (es *Events) firing() int {
	if es.environ.early != 0 && es.pace == nil {
		return es.timers.count
	}
	n := 0
	for i := range es.nodes.at {
		n += es.fires(i)
	}
	return n
}

// fires returns the number of a node's timers that may fire.
func (es *Events) fires(i int) int {
	if !es.environ.mayFire(i) {
		return 0
	}
	return es.nodes.firing(i)
}

// At returns the k-th possible event, in canonical order, after Count.
func (es *Events) At(k int) sim.Event {
	e, _ := es.event(k)
	return e
}

// Identity returns the identity of the k-th possible event, after Count.
func (es *Events) Identity(k int) string { return es.timers.text(es.At(k)) }

// Found returns the k-th possible event, after Count, and its slot: which of its node's
// tasks or timers it is, or which message of its set.
func (es *Events) Found(k int) (e sim.Event, slot int) {
	e, at := es.event(k)
	return e, int(at.Slot)
}

// spot says where an event was found in the state: at which node or in which channel, and at which
// index there. With it, take can remove the message, task or timer of the event. cause is the step
// that led to the event, or -1.
type spot struct {
	net.Spot // its slot may also be a task or a timer of the node
	cause    int32
}

// causes returns the steps that led to the event, as a Step has them.
func (s spot) causes() []int {
	if s.cause < 0 {
		return nil
	}
	return []int{int(s.cause)}
}

// Number returns the number of the message that the k-th possible event, after Count, would
// take or copy, or 0 if it takes none.
func (es *Events) Number(k int) int32 {
	h := happening{}
	es.write(k, &h)
	switch row := contract.Row(&h.Event); {
	case !row.Travels():
		return 0
	case h.Link == sim.LinkUDP:
		return es.links.UDP().Packets(int(h.Channel))[h.Place].Number
	default:
		return es.links.Head(h.Link, h.Spot).Number
	}
}

// Caused returns the k-th event, as Look does, and the step that led to it. The step is -1 if
// the start of the run led to it, or if the step is unknown.
func (es *Events) Caused(k int) (e *sim.Event, cause int) {
	e = es.Look(k)
	return e, int(es.peeked.cause)
}

// Look returns a pointer to the k-th possible event, after Count. To save a copy, it points to
// memory of es, which is overwritten when es describes another event.
func (es *Events) Look(k int) *sim.Event {
	es.peeked = happening{}
	es.write(k, &es.peeked)
	return &es.peeked.Event
}

// event returns the k-th possible event, after Count, and where it was found.
func (es *Events) event(k int) (sim.Event, spot) {
	var h happening
	es.write(k, &h)
	return h.Event, h.spot
}

// write writes the k-th event to h, which must be zero.
func (es *Events) write(k int, h *happening) {
	if es.filtered() {
		k = int(es.free[k])
	}
	es.find(k, h)
}

// find writes the k-th event of es.spans to h, which must be zero. The events of paused
// nodes are counted, too.
func (es *Events) find(k int, h *happening) {
	at := 0
	for k >= es.spans[at].count {
		k -= es.spans[at].count
		at++
	}
	l := es.links
	switch of := es.spans[at].of; of {
	case sectionScript:
		i := es.nodes.script.At(k)
		ns := &es.nodes.at[i]
		h.own(sim.KindScript, i, 0, ns.script[ns.next], -1)
	case sectionAction:
		i := 0
		for ; k >= len(es.nodes.at[i].offers); i++ {
			k -= len(es.nodes.at[i].offers)
		}
		h.own(sim.KindAction, i, 0, es.nodes.at[i].offers[k], -1)
	case sectionTask:
		i := 0
		for ; k >= len(es.nodes.at[i].tasks); i++ {
			k -= len(es.nodes.at[i].tasks)
		}
		t := &es.nodes.at[i].tasks[k]
		h.own(sim.KindTask, i, k, t.signal, t.step)
	case sectionTCP:
		c := l.OpenTCP().At(k)
		h.delivery(l, sim.LinkTCP, c, l.TCP().Head(c))
	case sectionUDP:
		c := l.OpenUDP().At(k)
		h.delivery(l, sim.LinkUDP, c, l.UDP().Head(c))
	case sectionSet:
		es.member(k, h)
	case sectionQuorum:
		i := 0
		for ; k >= es.nodes.at[i].assembly.len(); i++ {
			k -= es.nodes.at[i].assembly.len()
		}
		h.gathers(&es.nodes.at[i].assembly, i, k)
	case sectionClear:
		c := l.TCP().Clear().At(k)
		from, to := l.Ends(c)
		h.about(sim.KindClear, from, to, c)
	case sectionFlushed:
		h.own(sim.KindFlushed, l.TCP().Flushed().At(k), 0, nil, -1)
	case sectionError:
		c := l.TCP().Errors().At(k)
		from, to := l.Ends(c)
		h.about(sim.KindError, to, from, c)
	case sectionConsequence:
		*h = es.environ.consequences[k]
	case sectionTimer:
		i := 0
		for ; k >= es.fires(i); i++ {
			k -= es.fires(i)
		}
		if es.pace != nil {
			k = int(es.nodes.at[i].ripe[k])
		}
		t := &es.nodes.at[i].seen.Timers[k]
		h.own(sim.KindTimer, i, k, t.Signal, t.Step)
	case sectionFault:
		*h = es.environ.faults[k]
	default:
		panic(fmt.Sprintf("macemc bug: world: there is no section %d", of))
	}
}

// own makes h an event at node i, with a value that is in a slot of the node. cause is the
// step that led to it, or -1.
func (h *happening) own(kind sim.Kind, i, slot int, value any, cause int32) {
	h.Node, h.Kind, h.Value = state.AddrOf(i), kind, value
	h.spot = spot{net.Spot{At: int32(i), Slot: int32(slot)}, cause}
}

// about makes h an event at node node that concerns its connection to node peer.
func (h *happening) about(kind sim.Kind, node, peer, channel int) {
	h.Event = sim.Event{Node: state.AddrOf(node), From: state.AddrOf(peer), Kind: kind, Link: sim.LinkTCP}
	h.spot = spot{net.Spot{At: int32(node), Channel: int32(channel)}, -1}
}

// delivery sets h to the delivery of a packet, and returns h. The caller may change the kind to that
// of a fault.
func (h *happening) delivery(l *net.Links, link sim.Link, channel int, p *netsim.Packet) *happening {
	from, to := l.Ends(channel)
	h.Node, h.From, h.Kind, h.Link, h.Value = state.AddrOf(to), state.AddrOf(from), sim.KindMessage, link, p.Message
	h.spot = spot{net.Spot{At: int32(to), Channel: int32(channel)}, p.Step}
	return h
}

// scattered sets h to the event that node i gets message m of its set or its bag, and returns h.
// Such messages are in no order, so slot says which one it is.
func (h *happening) scattered(i, slot int, m *netsim.Member) *happening {
	h.own(sim.KindMessage, i, slot, m.Message, m.Step)
	h.Link, h.From = sim.LinkSet, state.AddrOf(m.From)
	if m.Count > 0 {
		h.Link = sim.LinkBag
	}
	return h
}

// member sets h to the delivery of a message of a set or a bag. k counts the messages that may be
// delivered, in the sets and bags of all nodes.
func (es *Events) member(k int, h *happening) {
	restricted := es.links.Restricted()
	for i := range es.nodes.at {
		all := es.links.Set().For(i)
		count := len(all)
		if restricted {
			count = len(es.nodes.at[i].accepted)
		}
		if k >= count {
			k -= count
			continue
		}
		if restricted {
			k = int(es.nodes.at[i].accepted[k])
		}
		h.scattered(i, k, &all[k])
		return
	}
	panic("macemc bug: world: fewer messages may be delivered than were counted")
}

// Settled reports whether the state, once its environment has healed, has no event but rare
// ones, so that nothing will ever change it.
func (es *Events) Settled() bool {
	e := es.environ
	timers := es.timers.count > 0 && (es.sys.Weight == nil || e.early != sim.Unlimited) // early firings may hold timers back, and a Weight may make them rare
	if e.cut != nil || !e.paused.Empty() || e.away > 0 || timers {
		return false
	}
	n := es.Count()
	if es.sys.Weight != nil {
		n = 0
		for _, r := range es.runs {
			if r.Weight > 0 {
				n++
			}
		}
		return n == 0
	}
	if es.environ.storm {
		n -= len(es.environ.faults)
	}
	return n == 0
}

// Hasty reports whether the k-th possible event, after Count, is a timer that
// fires while a message is under way to its node or from it.
func (es *Events) Hasty(k int) bool {
	e, at := es.event(k)
	return e.Kind == sim.KindTimer && es.links.Concerned(int(at.At))
}

// Rare reports whether the k-th possible event is rare. Count must have been called in this state.
func (es *Events) Rare(k int) bool {
	for _, r := range es.runs {
		if k < r.N {
			return r.Weight == 0
		}
		k -= r.N
	}
	panic("macemc bug: sim: the event asked about is beyond the last one that was counted")
}

// Begun returns the k-th possible event, after Count, as a trace step without effects: it
// was not taken yet.
func (es *Events) Begun(k int) trace.Step {
	e, at := es.event(k)
	s := trace.Step{Index: es.run.step + 1, Node: e.Node, Event: e, Causes: at.causes(), Cut: true}
	if e.Kind == sim.KindQuorum {
		s.Causes = es.nodes.at[at.At].assembly.causes(int(at.Slot))
	}
	return s
}
