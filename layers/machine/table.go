package machine

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"macemc/internal/charts"
	"macemc/sim"
)

// Machined is implemented by values that embed a Core.
type Machined interface{ core() *Core }

// State is a state of a machine. Only Name must be set.
type State[N Machined] struct {
	Name  Name
	Entry func(N, sim.Env) // runs when the machine enters the state
	Exit  func(N, sim.Env) // runs when the machine leaves the state, but not when it pushes another one
	May   []Name           // the states to which Entry may move with Core.Goto or Core.Push
	On    []Handler[N]     // the events with a handler: see On
	Goto  map[Name][]Event // by state, the events that move the machine to it without a handler
	Defer []Event          // the events that wait until a state does not defer them
	// Ignore lists the events that are expected and do nothing.
	Ignore []Event
}

// Event is a type of messages or a type of signals to which states react.
type Event struct {
	of      reflect.Type
	message bool
}

// Messages returns the events for the types of the given messages.
func Messages(values ...any) []Event { return events(true, values) }

// Signals returns the events for the types of the given signals.
func Signals(values ...any) []Event { return events(false, values) }

func events(message bool, values []any) (all []Event) {
	for _, v := range values {
		all = append(all, Event{reflect.TypeOf(v), message})
	}
	return all
}

// Handler is a method of a machine for events of one type, made by OnMessage or OnSignal.
type Handler[N Machined] struct {
	event    Event
	plain    sim.Handler[N]
	run      func(N, sim.Env, sim.Addr, any)
	dispatch func(t *Machine[N], event int) sim.Handler[N]
	method   any
	then     moveKind
	to       Name
	may      []Name
}

// On returns a list of handlers.
func On[N Machined](all ...Handler[N]) []Handler[N] { return all }

// OnMessage returns the Handler that calls method for messages of type M.
func OnMessage[N Machined, M any](method func(N, sim.Env, sim.Addr, M)) Handler[N] {
	return Handler[N]{
		event: Event{reflect.TypeFor[M](), true}, plain: sim.OnMessage(method), method: method,
		run: func(n N, env sim.Env, from sim.Addr, v any) { method(n, env, from, v.(M)) },
		dispatch: func(t *Machine[N], event int) sim.Handler[N] {
			typed := typedOf[func(N, sim.Env, sim.Addr, M)](t, event)
			return sim.OnMessage(func(n N, env sim.Env, from sim.Addr, m any) { // with any instead of M, a deferred message is not boxed again
				if c := n.core(); t.ready(c, event) {
					typed[c.in.index](n, env, from, m.(M))
					t.settle(n, env, c)
				} else {
					t.odd(n, env, letter{m, from, uint16(event)})
				}
			})
		},
	}
}

// OnSignal returns the Handler that calls method for signals of type S: a timer, a task, a
// request, or a raised signal.
func OnSignal[N Machined, S any](method func(N, sim.Env, S)) Handler[N] {
	return Handler[N]{
		event: Event{reflect.TypeFor[S](), false}, plain: sim.OnSignal(method), method: method,
		run: func(n N, env sim.Env, _ sim.Addr, v any) { method(n, env, v.(S)) },
		dispatch: func(t *Machine[N], event int) sim.Handler[N] {
			typed := typedOf[func(N, sim.Env, S)](t, event)
			return sim.OnSignal(func(n N, env sim.Env, s any) {
				if c := n.core(); t.ready(c, event) {
					typed[c.in.index](n, env, s.(S))
					t.settle(n, env, c)
				} else {
					t.odd(n, env, letter{s, sim.Addr{}, uint16(event)})
				}
			})
		},
	}
}

// typedOf returns, for each state, its method for an event, or nil if the state has none.
func typedOf[F any, N Machined](t *Machine[N], event int) []F {
	typed := make([]F, len(t.states))
	for k := range t.states {
		if r := &t.states[k].reactions[event]; r.method != nil {
			typed[k] = r.method.(F)
		}
	}
	return typed
}

// Goto returns the handler with a move: the machine goes to a state after the method has
// returned.
func (h Handler[N]) Goto(to Name) Handler[N] { return h.after(moveGoto, to) }

// Push returns the handler with a move: the machine enters a state on top of the current
// one after the method has returned.
func (h Handler[N]) Push(on Name) Handler[N] { return h.after(movePush, on) }

// Pop returns the handler with a move: the machine returns to the state below after the
// method has returned.
func (h Handler[N]) Pop() Handler[N] { return h.after(movePop, "") }

func (h Handler[N]) after(kind moveKind, to Name) Handler[N] {
	h.then, h.to = kind, to
	return h
}

// May returns the handler with a list of the states to which the method itself may move, by
// Core.Goto or Core.Push.
func (h Handler[N]) May(go_ ...Name) Handler[N] {
	h.may = append(slices.Clone(h.may), go_...)
	return h
}

// Machine is the table of a machine of one type.
type Machine[N Machined] struct {
	name     string
	defined  []State[N]
	events   []Event
	states   []state
	entries  []func(N, sim.Env)
	exits    []func(N, sim.Env)
	runs     [][]func(N, sim.Env, sim.Addr, any) // by state and event: the function that calls the method
	chart    *charts.Chart
	handlers *sim.Handlers[N]
}

// state is a State without its type parameter.
type state struct {
	name      Name
	index     int
	reactions []reaction // by index of the event
	may       []Name     // the states to which Entry may move
}

// expect makes room for n reactions, one for each event.
func (s *state) expect(n int) { s.reactions = make([]reaction, n) }

// HandlerTable marks a state's table as not being part of a node's state.
func (s *state) HandlerTable() {}

// HandlerTable marks a reaction as not being part of a node's state.
func (r *reaction) HandlerTable() {}

// reaction is the reaction of a state to an event.
type reaction struct {
	kind   charts.ReactionKind
	method any // the method to call; may be nil
	then   moveKind
	to     Name
	place  int // the index of the state to
	may    []Name
}

// moves reports whether the machine may be in another state afterwards.
func (r *reaction) moves() bool { return r.then != moveNone || len(r.may) > 0 }

// Define returns a Machine that starts in the first state. Errors in the table, such as two
// reactions to one event, are reported by System.Validate.
func Define[N Machined](name string, states ...State[N]) *Machine[N] {
	t := &Machine[N]{name: name, defined: states}
	if err := t.fill(states); err != nil {
		t.chart = &charts.Chart{Name: name}
		t.handlers = sim.Handle[N]().Refuse(fmt.Errorf("machine %s %w", name, err))
		return t
	}
	t.chart = t.drawn()
	t.handlers = sim.Handle(t.dispatchers(states)...)
	return t
}

// Forget returns a copy of the machine without the reactions of one state to some events.
// It is for known bugs: the events are unhandled there.
func (t *Machine[N]) Forget(in Name, events ...Event) *Machine[N] {
	forgotten := func(e Event) bool { return slices.Contains(events, e) }
	states := slices.Clone(t.defined)
	for k := range states {
		if states[k].Name == in {
			states[k].forget(forgotten)
		}
	}
	return Define(t.name, states...)
}

func (s *State[N]) forget(forgotten func(Event) bool) {
	s.On = slices.DeleteFunc(slices.Clone(s.On), func(h Handler[N]) bool { return forgotten(h.event) })
	s.Goto = maps.Clone(s.Goto)
	for to := range s.Goto {
		s.Goto[to] = slices.DeleteFunc(slices.Clone(s.Goto[to]), forgotten)
	}
	s.Defer = slices.DeleteFunc(slices.Clone(s.Defer), forgotten)
	s.Ignore = slices.DeleteFunc(slices.Clone(s.Ignore), forgotten)
}

// Node returns n as a node, in the first state of the table.
func (t *Machine[N]) Node(n N) sim.Node { return t.handlers.Node(n) }

// Of returns the value that a node was made of, as sim.Handlers.Of does.
func (t *Machine[N]) Of(n sim.Node) N { return t.handlers.Of(n) }

// String returns the reaction of each state to each event, a line for each: "shut push handled".
func (t *Machine[N]) String() string {
	var b strings.Builder
	for s, state := range t.chart.States {
		for e, event := range t.chart.Events {
			fmt.Fprintln(&b, state, event, t.chart.Pair(s, e).Kind)
		}
	}
	return b.String()
}

func (t *Machine[N]) find(of Name) int {
	return slices.IndexFunc(t.states, func(s state) bool { return s.name == of })
}

// number returns the index of an event, and adds the event if it is new.
func (t *Machine[N]) number(e Event) int {
	if k := slices.Index(t.events, e); k >= 0 {
		return k
	}
	t.events = append(t.events, e)
	return len(t.events) - 1
}

// fill builds the tables of the states.
func (t *Machine[N]) fill(states []State[N]) error {
	for k, s := range states {
		t.states = append(t.states, state{name: s.Name, index: k, may: s.May})
		t.entries, t.exits = append(t.entries, s.Entry), append(t.exits, s.Exit)
		for _, e := range s.all() {
			t.number(e)
		}
	}
	if len(states) == 0 {
		return fmt.Errorf("has no states; the first is where it starts")
	}
	for k, s := range states {
		t.states[k].expect(len(t.events))
		t.runs = append(t.runs, make([]func(N, sim.Env, sim.Addr, any), len(t.events)))
		if err := t.fillState(k, s); err != nil {
			return err
		}
	}
	return nil
}

// all returns the events that a state names.
func (s *State[N]) all() (all []Event) {
	for _, h := range s.On {
		all = append(all, h.event)
	}
	for _, to := range sim.Keys(s.Goto) {
		all = append(all, s.Goto[to]...)
	}
	return append(append(all, s.Defer...), s.Ignore...)
}

func (t *Machine[N]) fillState(k int, s State[N]) error {
	if at := t.find(s.Name); at != k || s.Name == "" {
		return fmt.Errorf("has two states %q; each has a name of its own", s.Name)
	}
	var failed error
	put := func(e Event, r reaction) {
		at := &t.states[k].reactions[t.number(e)]
		if at.kind != charts.ReactionNone && failed == nil {
			failed = fmt.Errorf("has two reactions to %s in state %s; keep one of them", e, s.Name)
		}
		*at = reaction{r.kind, r.method, r.then, r.to, t.find(r.to), r.may}
		for _, to := range append(slices.Clone(r.may), r.to) {
			if to != "" && t.find(to) < 0 && failed == nil {
				failed = fmt.Errorf("goes to %q on %s in state %s, and has no such state", to, e, s.Name)
			}
		}
	}
	for _, h := range s.On {
		put(h.event, reaction{kind: charts.ReactionHandle, method: h.method, then: h.then, to: h.to, may: h.may})
		t.runs[k][t.number(h.event)] = h.run
	}
	for _, to := range sim.Keys(s.Goto) {
		for _, e := range s.Goto[to] {
			put(e, reaction{kind: charts.ReactionHandle, then: moveGoto, to: to})
		}
	}
	for _, e := range s.Defer {
		put(e, reaction{kind: charts.ReactionDefer})
	}
	for _, e := range s.Ignore {
		put(e, reaction{kind: charts.ReactionIgnore})
	}
	for _, to := range s.May {
		if t.find(to) < 0 && failed == nil {
			failed = fmt.Errorf("may go to %q from the entry of %s, and has no such state", to, s.Name)
		}
	}
	return failed
}

func (e Event) String() string {
	what := "signal "
	if e.message {
		what = "message "
	}
	return what + e.name()
}

func (e Event) name() string {
	if e.of == nil {
		return "nil"
	}
	return e.of.Name()
}
