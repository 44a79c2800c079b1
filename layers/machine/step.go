package machine

import (
	"fmt"
	"slices"

	"macemc/internal/charts"
	"macemc/sim"
)

// dispatchers returns a handler for each event, which looks up the reaction of the current
// state. sim.Handle takes these.
func (t *Machine[N]) dispatchers(states []State[N]) []sim.Handler[N] {
	list := []sim.Handler[N]{sim.OnInit(t.start)}
	for k, e := range t.events {
		if h, is := handlerOf(states, e); is {
			made := h.dispatch(t, k)
			made.Handler = h.plain.Handler // reports show the source of the method
			list = append(list, made)
			continue
		}
		list = append(list, t.plain(e, k))
	}
	return list
}

func handlerOf[N Machined](states []State[N], e Event) (Handler[N], bool) {
	for _, s := range states {
		if k := slices.IndexFunc(s.On, func(h Handler[N]) bool { return h.event == e }); k >= 0 {
			return s.On[k], true
		}
	}
	return Handler[N]{}, false
}

// plain returns the handler for event e, with index k, if no state has a method for it.
func (t *Machine[N]) plain(e Event, k int) (h sim.Handler[N]) {
	if e.message {
		h = sim.OnMessage(func(n N, env sim.Env, from sim.Addr, v any) { t.handle(n, env, letter{v, from, uint16(k)}) })
	} else {
		h = sim.OnSignal(func(n N, env sim.Env, v any) { t.handle(n, env, letter{v, sim.Addr{}, uint16(k)}) })
	}
	h.Of = e.of
	return h
}

// ready reports whether the current state has a method for the event, which is the usual
// case, and prepares its call.
func (t *Machine[N]) ready(c *Core, event int) bool {
	r := &c.in.reactions[event]
	c.begin(r)
	if c.tally != nil {
		c.tally.Took(t.chart, c.in.index, event)
	}
	return r.method != nil
}

// odd handles an event for which the current state has no method. ready has counted the event already.
func (t *Machine[N]) odd(n N, env sim.Env, l letter) {
	t.react(n, env, n.core(), l)
	t.rest(n, env, n.core())
}

// handle performs a whole step: event l, and the events that follow from it.
func (t *Machine[N]) handle(n N, env sim.Env, l letter) {
	t.meet(n, env, n.core(), l)
	t.rest(n, env, n.core())
}

// meet counts an event and reacts to it.
func (t *Machine[N]) meet(n N, env sim.Env, c *Core, l letter) {
	if c.tally != nil {
		c.tally.Took(t.chart, c.in.index, int(l.event))
	}
	t.react(n, env, c, l)
}

// react performs the reaction of the current state, or else of a state below it.
func (t *Machine[N]) react(n N, env sim.Env, c *Core, l letter) {
	in := c.in
	for depth := len(c.below); in.reactions[l.event].kind == charts.ReactionNone; {
		if depth--; depth < 0 {
			panic(sim.Unhandled{Message: fmt.Sprintf("machine %s in state %s has no reaction to %s; handle, defer or ignore it", t.name, c.stack(), t.events[l.event])})
		}
		in = &t.states[t.find(c.below[depth])]
		if in.reactions[l.event].moves() {
			t.uncover(n, env, c, depth)
		}
	}
	switch r := &in.reactions[l.event]; r.kind {
	case charts.ReactionDefer:
		c.hold(l)
	case charts.ReactionIgnore:
	default:
		c.begin(r)
		if run := t.runs[in.index][l.event]; run != nil {
			run(n, env, l.from, l.value)
		}
		t.moved(n, env, c)
	}
}

// stack returns the names of the current state and of the states below it.
func (c *Core) stack() string {
	text := string(c.state)
	for k := len(c.below) - 1; k >= 0; k-- {
		text += " over " + string(c.below[k])
	}
	return text
}

// uncover leaves the states above a depth of the stack.
func (t *Machine[N]) uncover(n N, env sim.Env, c *Core, depth int) {
	for len(c.below) > depth {
		t.leave(n, env, c)
		t.uncovered(c)
	}
}

func (t *Machine[N]) uncovered(c *Core) {
	to := t.find(c.below[len(c.below)-1])
	if c.tally != nil {
		c.tally.Moved(t.chart, c.in.index, to)
	}
	c.uncover()
	c.enter(&t.states[to])
}

// settle ends a step after its method has returned: it moves the machine, and handles
// raised and deferred events.
func (t *Machine[N]) settle(n N, env sim.Env, c *Core) {
	switch {
	case c.may.then == moveGoto && c.move == moveNone: // as moved does, but faster
		t.leave(n, env, c)
		t.arrive(n, env, c, c.may.place)
		if c.move != moveNone {
			t.moved(n, env, c)
		}
	case c.may.then|c.move != moveNone:
		t.moved(n, env, c)
	}
	if c.raised != nil || c.fresh && c.deferred != nil {
		t.rest(n, env, c)
	}
}

// rest handles the raised events, and then the deferred events that the current state no
// longer defers.
func (t *Machine[N]) rest(n N, env sim.Env, c *Core) {
	for len(c.raised) > 0 || len(c.deferred) > 0 {
		if len(c.raised) > 0 {
			s := c.next()
			t.meet(n, env, c, letter{s, sim.Addr{}, uint16(t.raisable(c, s))})
			continue
		}
		if !c.fresh {
			return
		}
		k := slices.IndexFunc(c.deferred, func(l letter) bool { return !t.defers(c, l.event) })
		if k < 0 {
			c.rested()
			return
		}
		t.meet(n, env, c, c.release(k))
	}
}

// defers reports whether the machine defers an event in its current state.
func (t *Machine[N]) defers(c *Core, event uint16) bool {
	in := c.in
	for depth := len(c.below) - 1; ; depth-- {
		if kind := in.reactions[event].kind; kind != charts.ReactionNone || depth < 0 {
			return kind == charts.ReactionDefer
		}
		in = &t.states[t.find(c.below[depth])]
	}
}

// raisable returns the index of a raised signal's type.
func (t *Machine[N]) raisable(c *Core, s sim.Signal) int {
	e := Signals(s)[0]
	k := slices.Index(t.events, e)
	if k < 0 {
		panic(sim.Unhandled{Message: fmt.Sprintf("machine %s in state %s raises %s, which no state names", t.name, c.stack(), e)})
	}
	return k
}

// moved moves the machine as the table or its handler says. If the entry of the new state moves again, it
// follows.
func (t *Machine[N]) moved(n N, env sim.Env, c *Core) {
	for {
		r := c.may
		if r == nil { // an entry
			r = &reaction{may: c.in.may}
		}
		kind, to := c.planned()
		switch {
		case kind == moveNone:
			kind, to = r.then, r.to
		case r.then != moveNone:
			panic(fmt.Sprintf("macemc: machine %s: a handler in state %s goes to %q, and its table to %q; keep one of them", t.name, c.state, to, r.to))
		case kind != movePop && !slices.Contains(r.may, to):
			panic(fmt.Sprintf("macemc: machine %s: a handler in state %s goes to %q, which its table does not say; add it to May", t.name, c.state, to))
		}
		if kind == moveNone {
			return
		}
		t.travel(n, env, c, kind, to)
	}
}

func (t *Machine[N]) travel(n N, env sim.Env, c *Core, kind moveKind, to Name) {
	if kind == movePop && len(c.below) == 0 {
		panic(fmt.Sprintf("macemc: machine %s: state %s is popped, and was not pushed", t.name, c.state))
	}
	if kind != movePush {
		t.leave(n, env, c)
	}
	if kind == movePop {
		t.uncovered(c)
		return
	}
	if kind == movePush {
		c.cover()
	}
	t.arrive(n, env, c, t.find(to))
}

// arrive enters the state with index place, and counts the move.
func (t *Machine[N]) arrive(n N, env sim.Env, c *Core, place int) {
	if c.tally != nil {
		c.tally.Moved(t.chart, c.in.index, place)
	}
	t.enter(n, env, c, place)
}

// leave runs the exit of the current state. An exit may not move the machine.
func (t *Machine[N]) leave(n N, env sim.Env, c *Core) {
	if exit := t.exits[c.in.index]; exit != nil {
		exit(n, env)
		if c.move != moveNone {
			panic(fmt.Sprintf("macemc: machine %s: the exit of state %s goes to %q; an exit may not go anywhere", t.name, c.state, c.to))
		}
	}
}

func (t *Machine[N]) enter(n N, env sim.Env, c *Core, index int) {
	c.enter(&t.states[index])
	if entry := t.entries[index]; entry != nil {
		entry(n, env)
	}
}

// start enters the first state.
func (t *Machine[N]) start(n N, env sim.Env) {
	c := n.core()
	c.reset()
	if c.tally != nil {
		c.tally.Add(t.chart)
	}
	t.enter(n, env, c, 0)
	t.moved(n, env, c)
	t.rest(n, env, c)
}
