package world

import (
	"fmt"
	"reflect"

	"macemc/internal/canon"
	"macemc/macetime"
	"macemc/sim"
)

// A node's times are names that its clock gives out (macetime.Clock), and part of
// its state with what is known of them. When a handler has returned, the clock
// numbers those anew that the node still holds, where they lie, and forgets the
// others. A step of a node that holds none pays for a question whether it does.

// instants is where the nodes of a world hold times.
type instants struct {
	finder  *canon.Finder
	times   []*macetime.Time
	counted []*macetime.Monotone
}

func (all *nodes) finder() *instants {
	if all.instants == nil {
		all.instants = &instants{finder: sim.Times(all.walker)}
	}
	return all.instants
}

// settleTimes numbers anew what node i holds, after a handler or a crash.
func (all *nodes) settleTimes(i int) {
	if all.at[i].clock != nil {
		all.renumber(i)
	}
}

func (all *nodes) renumber(i int) {
	ns, in := &all.at[i], all.finder()
	in.times, in.counted = in.times[:0], in.counted[:0]
	changed, err := in.finder.Find(ns.node, in.note)
	if err != nil {
		panic(fmt.Sprintf("macemc: %s cannot keep times where it does: %v", addrOf(i), err))
	}
	if all.pace != nil {
		for k := range ns.seen.Timers {
			in.times = append(in.times, &ns.seen.Timers[k].Due)
		}
	}
	for _, t := range in.times {
		if wrong := ns.clock.Check(*t); wrong != "" {
			panic(fmt.Sprintf("macemc: %s holds a time that %s", addrOf(i), wrong))
		}
	}
	clock := ns.clock.Clone()
	clock.Settle(in.times, in.counted)
	changed()
	if ns.clock = &clock; clock.IsZero() {
		ns.clock = nil
	}
	if all.pace != nil {
		all.ripen(i)
	}
}

func (in *instants) note(v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *macetime.Time:
		in.times = append(in.times, at)
	case *macetime.Monotone:
		in.counted = append(in.counted, at)
	}
}

// TimeFields are the lines of the nodes that show a time which they hold: those
// that are others where the times are forgotten.
func (x *Text) TimeFields() (fields []canon.Line) {
	for i := range x.nodes.at {
		if x.nodes.at[i].clock == nil {
			continue
		}
		name := addrOf(i).String()
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
			continue // a handler has been told
		}
		for _, t := range held {
			*t = macetime.Time{}
		}
		forget()
		for _, l := range x.walker.Lines(own) {
			if !had[l] {
				fields = append(fields, under(name, l, tag(PartField, i)))
			}
		}
	}
	return fields
}

// timeless refuses a value that leaves a node and holds a time.
func (all *nodes) timeless(self sim.Addr, what string, v any) {
	if all.at[self.Index()].clock != nil && all.finder().finder.Holds(v) {
		panic(fmt.Sprintf("macemc: %s puts a time into %s, %s; times are a node's own: send a duration, or keep the time in the node",
			self, what, all.walker.Text(v)))
	}
}

// ticks is the clock of a node whose handler runs, to be changed: what a bank
// keeps of it stays.
func (e *env) ticks() *macetime.Clock {
	w, i := e.w, e.self.Index()
	ns := &w.nodes.at[i]
	if !w.Run.ticking {
		own := macetime.Of(i)
		if ns.clock != nil {
			own = ns.clock.Clone()
		}
		ns.clock, w.Run.ticking = &own, true
	}
	return ns.clock
}

// reading is a new instant of the handler that runs. Where it began is one too, but
// only once there is another: a handler that compares times and reads none is not to
// leave a trace on the clock.
func (e *env) reading() macetime.Time {
	c := e.ticks()
	if e.w.pace == nil {
		return c.Read()
	}
	if e.w.Run.began.IsZero() {
		e.w.Run.began = c.Read()
	}
	if e.w.pace.Handlers == 0 {
		return e.w.Run.began
	}
	t := c.Read()
	c.Within(e.w.Run.began, t, e.w.pace.Handlers)
	return t
}

func (e *env) Now() macetime.Time {
	e.use("Now")
	return e.reading()
}

func (e *env) Monotone() macetime.Monotone {
	e.use("Monotone")
	return e.ticks().Count()
}

func answer(k int) string { return [...]string{"no", "yes"}[k] }

// comparing is what coverage counts comparisons under, whatever is compared.
const comparing = "is a time before another"

func (e *env) Before(a, b macetime.Time) bool {
	w := e.use("Before")
	return e.compare("Before", a, b, func(why string) int {
		w.Run.asked.why, w.Run.asked.weights, w.Run.asked.sides = why, nil, nil
		k := w.Run.coin(2, nil)
		if w.cover != nil {
			w.cover.chosen(comparing, 2, k)
		}
		return k
	})
}

func (e *env) BeforeWeighted(a, b macetime.Time, yes, no int) bool {
	w := e.use("BeforeWeighted")
	if yes < 0 || no < 0 || yes+no == 0 {
		panic(fmt.Sprintf("macemc: env.BeforeWeighted(%s, %s, %d, %d): a weight is 0 or more, and at least one is more than 0", a, b, yes, no))
	}
	return e.compare("BeforeWeighted", a, b, func(why string) int {
		return w.sided([]int{no, yes}, why, comparing)
	})
}

// compare decides whether a is before b, and asks only where both may be.
func (e *env) compare(call string, a, b macetime.Time, ask func(why string) int) bool {
	w, clock := e.w, e.ticks()
	for _, t := range [...]macetime.Time{a, b} {
		if wrong := clock.Check(t); wrong != "" {
			panic(fmt.Sprintf("macemc: env.%s of %s: %s %s", call, e.self, t, wrong))
		}
	}
	yes, no := clock.Compare(a, b)
	if !yes || !no {
		if w.tracing {
			w.Run.facts = append(w.Run.facts, sim.Fact{Asked: "whether", About: macetime.Asked(a, b), Answer: yes})
		}
		return yes
	}
	w.Run.asked.words = answer
	is := ask(macetime.Asked(a, b)) == 1
	clock.Assume(a, b, is)
	return is
}
