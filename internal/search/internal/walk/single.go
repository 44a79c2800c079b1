package walk

import (
	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// A thing is a group of events that the manner Single makes rarer in a walk; all other events keep their
// weights. Many bugs need one node to get its messages late, one link to be slow, or messages of one type
// to wait, in an otherwise normal environment.
type thing struct {
	aspect aspect
	node   sim.Addr // inbox, lane: the receiver; sort: the node of the events, or zero for any node
	from   sim.Addr // sender, lane
	kind   sim.Kind // sort
	of     uint64   // sort: the number of the value's type
	after  int      // sort: number of events to be picked before one of the possible events determines kind and of; -1 if they are determined
}

// aspect says what the events that a walk makes rarer have in common, for example their receiver
// or their type.
type aspect uint8

const (
	inbox  aspect = iota // messages to a node
	sender               // messages from a node
	lane                 // messages from one node to another
	sort                 // messages or timers of a type, at one node or at all nodes
	aspects
)

// The weights of the events of a thing are divided by 2 to the power of rarer.
const rarer = 4

// draw draws at random which events a walk makes rarer: its thing. The slice all has the nodes of
// the system.
func draw(d *draws, all []sim.Addr) (t thing) {
	t.aspect = aspect(d.below(int(aspects)))
	to := d.below(len(all))
	from := (to + 1 + d.below(max(1, len(all)-1))) % len(all)
	switch t.aspect {
	case inbox:
		t.node = all[to]
	case sender:
		t.from = all[from]
	case lane:
		t.node, t.from = all[to], all[from]
	case sort:
		t.after = d.span(1, 6)
	}
	return t
}

// waits counts an event that is picked. It returns true when it is time to draw the kind and the type
// of the events that the walk makes rarer.
func (t *thing) waits() bool {
	if t.aspect != sort || t.after < 0 {
		return false
	}
	t.after = max(0, t.after-1)
	return t.after == 0
}

// take sets the thing (the events that the walk makes rarer) to all events that have the kind of e and
// the type numbered of, at e's node or, if everywhere is true, at all nodes.
func (t *thing) take(e *sim.Event, of uint64, everywhere bool) {
	t.after, t.kind, t.of = -1, e.Kind, of
	if !everywhere {
		t.node = e.Node
	}
}

// settle draws one of the possible messages and timers, if it is time to do so. From then on the walk
// makes all events of its kind and type rarer.
func (g *guiding) settle(w *world.World, q *choose.Question) {
	if !g.thing.waits() {
		return
	}
	k := g.some(w, q, func(e *sim.Event) bool { return sorted(e.Kind) })
	if k != none {
		e := w.Events.Look(k)
		g.thing.take(e, g.named(e), g.below(2) == 0)
	}
}

// some picks one of the possible events that are not rare and satisfy the function of, with equal
// chances. It returns none if there is no such event.
func (g *guiding) some(w *world.World, q *choose.Question, of func(*sim.Event) bool) int {
	k, seen, at := none, 0, 0
	for _, r := range q.Runs {
		if r.Weight > 0 {
			for i := at; i < at+r.N; i++ {
				if of(w.Events.Look(i)) {
					if seen++; g.below(seen) == 0 {
						k = i
					}
				}
			}
		}
		at += r.N
	}
	return k
}

func sorted(k sim.Kind) bool { return carries(k) || k == sim.KindTimer }

// carries reports whether an event of kind k delivers messages.
func carries(k sim.Kind) bool { return k == sim.KindMessage || k == sim.KindQuorum }

// has reports whether e, the possible event number k, is one of the events that the walk makes
// rarer.
func (g *guiding) has(w *world.World, e *world.Glance, k int) bool {
	t := &g.thing
	if t.aspect == sort {
		return t.after < 0 && e.Kind == t.kind && (t.node.IsZero() || e.Node == place(t.node)) && g.typed(w, e, k) == t.of
	}
	return carries(e.Kind) && (t.aspect == sender || e.Node == place(t.node)) && (t.aspect == inbox || e.From == place(t.from))
}

// place returns the number by which the fields Node and From of a world.Glance name the node.
func place(a sim.Addr) uint8 { return uint8(a.Index() + 1) }
