package world

import (
	"fmt"
	"reflect"

	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/sight"
	"macemc/internal/state"
	"macemc/macetime"
	"macemc/sim"
)

// A node's times are names that its clock has assigned (macetime.Clock). The names are part of
// the node's state, and so are the relations between them that the clock has recorded. When a
// handler has returned, the clock renumbers in place the times that the node still holds, and
// forgets the others. If a node has no times, a step only tests for that.

// instants finds the times that the nodes of a world hold.
type instants struct {
	finder  *canon.Finder
	times   []*macetime.Time     // the times of the node that was searched last
	counted []*macetime.Monotone // and its strictly increasing times
	met     func(reflect.Value)  // called for each time that is found
}

func (all *nodes) finder() *instants {
	if all.instants == nil {
		all.instants = &instants{finder: sight.Times(all.walker).PassZero()}
		all.instants.met = all.instants.note
	}
	return all.instants
}

// settleTimes renumbers the times that node i holds, after a handler or a crash: see macetime.Clock.Settle.
// Two nodes that know the same of their times then have the same state.
func (all *nodes) settleTimes(i int) {
	if ns := &all.at[i]; ns.clock != nil {
		all.work.searched()
		ns.renumber(all.finder(), all.pace != nil)
	}
}

// untold panics if node i keeps a time as text. A comparison of two texts does not go through
// Env.Before, so the search would not explore both answers.
func (w *World) untold(i int) {
	for _, l := range w.walker.Lines(w.nodes.at[i].node) {
		if t, is := macetime.Written(l.Path + " " + l.Value); is {
			panic(fmt.Sprintf("macemc: %s keeps the time %s as text, in %s = %s; a search does not try both answers to a comparison of texts: keep the macetime.Time, and write times as text only with Logf",
				state.AddrOf(i), t, macetime.Plain(l.Path), macetime.Plain(l.Value)))
		}
	}
}

// renumber renumbers the times that the node still holds, and makes the clock forget all others. If paced
// is set, as in a system with System.Clock, the deadlines of the node's timers count as held times too.
func (ns *nodeState) renumber(in *instants, paced bool) {
	changed := in.find(ns.node, state.AddrOf(ns.index))
	if paced {
		for k := range ns.seen.Timers {
			in.add(&ns.seen.Timers[k].Due)
		}
	}
	for _, t := range in.times {
		if wrong := ns.clock.Check(*t); wrong != "" {
			panic(fmt.Sprintf("macemc: %s holds a time that %s", state.AddrOf(ns.index), wrong))
		}
	}
	if !ns.clock.Settled(in.times, in.counted) {
		ns.ownClock()
		ns.clock.Settle(in.times, in.counted)
		changed()
		if ns.clock.IsZero() {
			ns.clock = nil
		}
	}
	if paced {
		ns.ripen()
	}
}

// find finds the times that a node holds. A caller that changes them must then call
// changed.
func (in *instants) find(node sim.Node, of sim.Addr) (changed func()) {
	in.times, in.counted = in.times[:0], in.counted[:0]
	changed, err := in.finder.Find(node, in.met)
	if err != nil {
		panic(fmt.Sprintf("macemc: %s cannot keep times where it does: %v", of, err))
	}
	return changed
}

func (in *instants) add(t *macetime.Time) { in.times = append(in.times, t) }

func (in *instants) note(v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *macetime.Time:
		in.add(at)
	case *macetime.Monotone:
		in.counted = append(in.counted, at)
	}
}

// TimeFields returns the lines of the state that show a macetime.Time which a node holds. It finds
// them by setting all times of a copy of the node to zero: the lines that this changes show a time.
func (x *Text) TimeFields() (fields []canon.Line) {
	for i := range x.nodes.at {
		if x.nodes.at[i].clock == nil {
			continue
		}
		name := state.AddrOf(i).String()
		own := x.copied(x.nodes.at[i].seen.Node)
		had := map[canon.Line]bool{}
		for _, l := range x.walker.Lines(own) {
			had[l] = true
		}
		var held []*macetime.Time
		forget, err := x.nodes.finder().finder.Find(own, func(v reflect.Value) {
			if t, is := v.Addr().Interface().(*macetime.Time); is {
				held = append(held, t)
			}
		})
		if err != nil {
			continue // the error was reported when the handler ended
		}
		for _, t := range held {
			*t = macetime.Time{}
		}
		forget()
		for _, l := range x.walker.Lines(own) {
			if !had[l] {
				fields = append(fields, under(name, l, observe.Tag(observe.PartField, i)))
			}
		}
	}
	return fields
}

// ticks returns the clock of the running node for the caller to change. If a bank shares
// the clock, ticks first replaces it by a copy.
func (w *World) ticks() *macetime.Clock {
	ns := &w.nodes.at[w.Run.acting.Index()]
	if w.Run.ticks() {
		ns.ownClock()
	}
	return ns.clock
}

// ownClock makes sure that the node has a clock, which no nodePart has, before the clock changes.
func (ns *nodeState) ownClock() {
	switch {
	case ns.clock == nil:
		own := macetime.Of(ns.index)
		ns.clock = &own
	case ns.lent:
		own := ns.clock.Clone()
		ns.clock = &own
	}
	ns.lent = false
}

// lend records that a nodePart has the clock, too.
func (ns *nodeState) lend() { ns.lent = true }

// reading returns the time that the running handler reads now. The clock gets an instant for the beginning of
// the handler at the first such call, so that a handler which only compares times does not change the clock.
func (w *World) reading() macetime.Time {
	c := w.ticks()
	if w.pace == nil {
		return c.Read()
	}
	began := w.Run.beganAt(c)
	if w.pace.Handlers == 0 {
		return began
	}
	t := c.Read()
	c.Within(began, t, w.pace.Handlers)
	return t
}
