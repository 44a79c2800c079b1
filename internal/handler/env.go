package handler

import (
	"fmt"
	"slices"

	"macemc/macetime"
	"macemc/sim"
	"macemc/trace"
)

// Env is the Env of one node for one handler. It must not be copied after Bind.
type Env struct {
	s     *Step
	self  sim.Addr
	peers []sim.Addr
	init  bool // whether it is the Env of Init
	tcp   conn
	udp   port
	set   port
	bag   port
	store store
}

// Bind makes e the Env of the node self. init says whether it is for Init.
func (e *Env) Bind(s *Step, self sim.Addr, peers []sim.Addr, init bool) {
	*e = Env{s: s, self: self, peers: peers, init: init}
	e.tcp, e.udp, e.set, e.bag = conn{port{e, sim.LinkTCP}}, port{e, sim.LinkUDP}, port{e, sim.LinkSet}, port{e, sim.LinkBag}
	e.store = store{e}
}

// kept is the number of Envs that the handlers of one node use by turns. The wrong use of an Env after its
// handler goes unnoticed if it happens exactly this many handlers later, or a multiple of that.
const kept = 8

// Envs are the Envs of one node. Each handler gets another one than the handler before, so that the use of
// an Env from an earlier handler is noticed. They must not be copied after Bind.
type Envs struct {
	all   [kept]Env
	init  Env
	turns uint8
}

// Bind makes all of them Envs of the node self.
func (es *Envs) Bind(s *Step, self sim.Addr, peers []sim.Addr) {
	es.init.Bind(s, self, peers, true)
	for k := range es.all {
		es.all[k].Bind(s, self, peers, false)
	}
}

// Next returns the Env for the next handler. init says whether the handler is Init.
func (es *Envs) Next(init bool) *Env {
	if init {
		return &es.init
	}
	es.turns++
	return &es.all[es.turns%kept]
}

// use is what the methods of Env call first. It panics if the handler of e has returned. If the handler has
// made so many calls that it must be in a loop, use ends it by Answerer.Fail. call is the name of the method.
func (e *Env) use(call string) *Step {
	s := e.s
	if s.running != e {
		e.stale(call)
	}
	if s.calls++; s.calls > callsMost {
		s.answer.Fail(fmt.Sprintf("the handler called Env %d times in one step (the last: %s): it loops for ever", callsMost, call))
	}
	return s
}

// stale panics because the handler of e is not running. For an Env that was kept from Init, the message is
// always the same, since a copy of the node may be in another World, where any handler may be running.
func (e *Env) stale(call string) {
	running := e.s.running
	switch {
	case e.init:
		panic(fmt.Sprintf("macemc: env.%s of %s was kept from Init; an Env is valid until its handler returns: pass it on, do not keep it",
			call, e.self))
	case running == nil:
		panic(fmt.Sprintf("macemc: env.%s of %s was called outside a handler, or by a goroutine; an Env is valid until its handler returns: pass it on, do not keep it",
			call, e.self))
	case running.self == e.self:
		panic(fmt.Sprintf("macemc: env.%s of %s was kept from an earlier handler; an Env is valid until its handler returns: pass it on, do not keep it",
			call, e.self))
	}
	panic(fmt.Sprintf("macemc: env.%s of %s was called by a handler of %s; nodes share nothing: use the Env that the handler was given",
		call, e.self, running.self))
}

// Self and the methods below implement sim.Env.
func (e *Env) Self() sim.Addr {
	e.use("Self")
	return e.self
}

func (e *Env) Peers() []sim.Addr {
	e.use("Peers")
	return e.peers
}

func (e *Env) TCP() sim.Conn { return &e.tcp }
func (e *Env) UDP() sim.Port { return &e.udp }
func (e *Env) Set() sim.Port { return &e.set }
func (e *Env) Bag() sim.Port { return &e.bag }

// choicesMost is the largest number of alternatives of a choice, since answers are kept in 32 bits.
const choicesMost = 1 << 31

func (e *Env) Choose(n int, why string) int {
	s := e.use("Choose")
	if n < 1 {
		panic(fmt.Sprintf("macemc: env.Choose(%d, %q): there must be at least one alternative", n, why))
	}
	if n > choicesMost {
		panic(fmt.Sprintf("macemc: env.Choose(%d, %q): there may be at most 1<<31 alternatives", n, why))
	}
	return s.answer.Choose(n, why)
}

func (e *Env) Weighted(weights []int, why string) int {
	s := e.use("Weighted")
	total := 0
	for _, x := range weights {
		if x < 0 {
			panic(fmt.Sprintf("macemc: env.Weighted(%v, %q): a weight is 0 or more", weights, why))
		}
		total += x
	}
	if total == 0 {
		panic(fmt.Sprintf("macemc: env.Weighted(%v, %q): at least one weight must be more than 0", weights, why))
	}
	return s.answer.Weighted(weights, why)
}

func (e *Env) Now() macetime.Time {
	s := e.use("Now")
	s.timed = true
	return s.answer.Now()
}

func (e *Env) Monotone() macetime.Monotone {
	s := e.use("Monotone")
	s.timed = true
	return s.answer.Monotone()
}

func (e *Env) Before(a, b macetime.Time) bool {
	return e.use("Before").before("Before", a, b, nil)
}

func (e *Env) BeforeWeighted(a, b macetime.Time, yes, no int) bool {
	s := e.use("BeforeWeighted")
	if yes < 0 || no < 0 || yes+no == 0 {
		panic(fmt.Sprintf("macemc: env.BeforeWeighted(%s, %s, %d, %d): a weight is 0 or more, and at least one is more than 0", a.Text(), b.Text(), yes, no))
	}
	return s.before("BeforeWeighted", a, b, []int{no, yes})
}

// before answers Env.Before and Env.BeforeWeighted, and panics for times of other nodes' clocks. call is
// the name of the method.
func (s *Step) before(call string, a, b macetime.Time, weights []int) bool {
	for _, t := range [...]macetime.Time{a, b} {
		if wrong := macetime.Foreign(s.running.self.Index(), t); wrong != "" {
			panic(fmt.Sprintf("macemc: env.%s of %s: %s %s", call, s.running.self, t.Text(), wrong))
		}
	}
	s.timed = true
	return s.answer.Before(call, a, b, weights)
}

// timeless panics if v, a value that leaves the node, contains a time. what says what the value is.
func (e *Env) timeless(what string, v any) {
	if e.s.timed {
		e.timed(what, v)
	}
}

// timed does the work of timeless for a node that may hold times. It is a function of its own, since most nodes
// hold none and timeless should be small enough to be inlined.
func (e *Env) timed(what string, v any) {
	if e.s.answer.HoldsTime(v) {
		panic(fmt.Sprintf("macemc: %s puts a time into %s, %s; times are a node's own: send a duration, or keep the time in the node",
			e.self, what, e.s.Text(v)))
	}
	if e.s.WroteTime() {
		e.untold(what, e.s.Text(v))
	}
}

// untold panics if a text that leaves the node contains a time. what says what the text is.
func (e *Env) untold(what, text string) {
	if t, is := macetime.Written(text); is {
		panic(fmt.Sprintf("macemc: %s writes the time %s as text into %s, %s; a search does not try both answers to a comparison of texts: send a duration, or keep the macetime.Time in the node, and write times as text only with Logf",
			e.self, t, what, macetime.Plain(text)))
	}
}

// handed must be called when the handler has passed a value to its Env, and the last effect has the value. It
// calls Answerer.Handed if Config.Strict is set.
func (s *Step) handed() {
	if s.Strict {
		s.answer.Handed()
	}
}

func (e *Env) Post(task sim.Signal) {
	s := e.use("Post")
	if task == nil {
		panic(fmt.Sprintf("macemc: %s posts nil; a task is a value of a type of its own", e.self))
	}
	e.timeless("a task", task)
	s.add(trace.Effect{Kind: trace.EffectPost, Value: task})
	s.handed()
}

func (e *Env) Emit(fact any) {
	s := e.use("Emit")
	e.timeless("a fact", fact)
	s.add(trace.Effect{Kind: trace.EffectEmit, Value: fact})
	s.handed()
}

func (e *Env) Bug(id sim.BugID) bool {
	s := e.use("Bug")
	if len(s.Params.Bugs()) == 0 && !s.Strict {
		return false
	}
	if !slices.ContainsFunc(s.System.Bugs, func(b sim.Bug) bool { return b.ID == id }) {
		panic(fmt.Sprintf("macemc: system %s asks for bug %q, which System.Bugs does not list", s.System.Name, id))
	}
	return s.Params.Bug(id)
}

// Text returns v as text, as the states of the system show it.
func (e *Env) Text(v any) string { return e.s.Text(v) }

func (e *Env) Tracing() bool { return e.s.Tracing }

func (e *Env) Logf(format string, args ...any) {
	s := e.use("Logf")
	if s.Tracing {
		line := macetime.Plain(fmt.Sprintf(format, args...))
		s.add(trace.Effect{Kind: trace.EffectLog, Value: line})
		s.answer.Log(line)
	}
}
