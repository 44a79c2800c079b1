package walk

import (
	"macemc/choose"
	"macemc/internal/world"
	"macemc/sim"
)

// A thing is what a walk of the manner Single makes rarer, while everything else has its
// weight. Many bugs need one node to hear late, one link to be slow, or messages of one
// type to wait, in an environment that is otherwise as usual.
type thing struct {
	aspect aspect
	node   sim.Addr // inbox, lane: the receiver; sort: the node of the events, or zero for any
	from   sim.Addr // sender, lane
	kind   sim.Kind // sort
	of     uint64   // sort: what the type of the value counts for
	after  int      // sort: events that are picked before one of those that are possible is taken for the sort, or -1 if it was taken
}

// aspect is the property that the events of a thing have in common.
type aspect uint8

const (
	inbox  aspect = iota // messages to a node
	sender               // messages from a node
	lane                 // messages from one node to another
	sort                 // messages or timers of a type, at one node or at all
	aspects
)

// A thing is rarer by the factor 2 to the power of rarer.
const rarer = 4

// draw draws the thing that is rarer in a walk.
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

// waits counts an event that is picked, and reports whether the sort is to be taken now.
func (t *thing) waits() bool {
	if t.aspect != sort || t.after < 0 {
		return false
	}
	t.after = max(0, t.after-1)
	return t.after == 0
}

// take makes the events that are like one the thing, at its node or at all.
func (t *thing) take(e *sim.Event, of uint64, everywhere bool) {
	t.after, t.kind, t.of = -1, e.Kind, of
	if !everywhere {
		t.node = e.Node
	}
}

// settle takes one of the messages and timers that are possible for the sort of the thing,
// once it is time.
func (g *guiding) settle(w *world.World, q *choose.Question) {
	if !g.thing.waits() {
		return
	}
	k := g.some(w, q, func(e *sim.Event) bool { return sorted(e.Kind) })
	if k != none {
		e := w.Events.Look(k)
		g.thing.take(e, g.typed(e), g.below(2) == 0)
	}
}

// some picks one of the events of some sort that are not rare, all alike; none if there is
// none.
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

// carries reports whether an event of the kind is that of a message.
func carries(k sim.Kind) bool { return k == sim.KindMessage || k == sim.KindQuorum }

// has reports whether an event belongs to the thing.
func (g *guiding) has(e *sim.Event) bool {
	t := &g.thing
	if t.aspect == sort {
		return t.after < 0 && e.Kind == t.kind && (t.node.IsZero() || e.Node == t.node) && g.typed(e) == t.of
	}
	return carries(e.Kind) && (t.aspect == sender || e.Node == t.node) && (t.aspect == inbox || e.From == t.from)
}
