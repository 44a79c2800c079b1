package world

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"macemc/internal/guard"
	"macemc/internal/sight"
	"macemc/sim"
)

// envsKept is how many handlers of a node run until one is given an Env again. An
// Env that was kept for just as long passes for the handler's own; audits, in which
// every handler has a new one, find that too.
const envsKept = 8

// env is the Env of one node in a World, for one handler.
type env struct {
	w     *World
	self  sim.Addr
	init  bool // that of Init
	tcp   port
	udp   port
	set   port
	bag   port
	store store
}

// port is one link as one node sees it.
type port struct {
	e    *env
	link sim.Link
}

// RuntimePort says that a port is no part of a node's state: see sight.Port.
func (p *port) RuntimePort() {}

func (e *env) bind(w *World, self sim.Addr, init bool) {
	*e = env{w: w, self: self, init: init}
	e.tcp, e.udp, e.set, e.bag = port{e, sim.LinkTCP}, port{e, sim.LinkUDP}, port{e, sim.LinkSet}, port{e, sim.LinkBag}
	e.store = store{e}
}

// use is called first by everything that an Env does.
func (e *env) use(what string) *World {
	w := e.w
	if w.Run.running != e {
		e.stale(what)
	}
	w.Run.calls++
	if w.Run.calls > callsMost {
		w.Run.stop(w.Run.fail(sim.VerdictDivergence, "", fmt.Sprintf(
			"the handler called Env %d times in one step (the last: %s): it loops for ever", callsMost, what)))
	}
	return w
}

// stale says of an Env whose handler does not run. One that was kept from Init
// is told in one sentence wherever it is used: a copy of its node may be in
// another World, which runs anything.
func (e *env) stale(what string) {
	running := e.w.Run.running
	switch {
	case e.init:
		panic(fmt.Sprintf("macemc: env.%s of %s is that of its Init; an Env is valid until its handler returns: pass it on, do not keep it",
			what, e.self))
	case running == nil:
		panic(fmt.Sprintf("macemc: env.%s of %s was called outside a handler, or by a goroutine; an Env is valid until its handler returns: pass it on, do not keep it",
			what, e.self))
	case running.self == e.self:
		panic(fmt.Sprintf("macemc: env.%s of %s was kept from an earlier handler; an Env is valid until its handler returns: pass it on, do not keep it",
			what, e.self))
	}
	panic(fmt.Sprintf("macemc: env.%s of %s was called by a handler of %s; nodes share nothing: use the Env that the handler was given",
		what, e.self, running.self))
}

func (e *env) Self() sim.Addr    { return e.use("Self").Run.acting }
func (e *env) Peers() []sim.Addr { return e.use("Peers").peers[e.self.Index()] }

func (e *env) TCP() sim.Port { return &e.tcp }
func (e *env) UDP() sim.Port { return &e.udp }
func (e *env) Set() sim.Port { return &e.set }
func (e *env) Bag() sim.Port { return &e.bag }

// choicesMost is how many alternatives a coin may have: answers are kept in 32
// bits.
const choicesMost = 1 << 31

// Choose asks one coin.
func (e *env) Choose(n int, why string) int {
	w := e.use("Choose")
	if n < 1 {
		panic(fmt.Sprintf("macemc: env.Choose(%d, %q): there must be at least one alternative", n, why))
	}
	if n > choicesMost {
		panic(fmt.Sprintf("macemc: env.Choose(%d, %q): there may be at most 1<<31 alternatives", n, why))
	}
	k := 0
	if n > 1 {
		w.Run.asked.why, w.Run.asked.weights, w.Run.asked.sides, w.Run.asked.words = why, nil, nil, nil
		k = w.Run.coin(n, nil)
	}
	if w.cover != nil {
		w.cover.chosen(why, n, k)
	}
	return k
}

// Weighted asks one coin whose sides have weights.
func (e *env) Weighted(weights []int, why string) int {
	w := e.use("Weighted")
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
	w.Run.asked.words = nil
	return w.sided(weights, why, why)
}

// sided asks a coin whose sides have weights, which must be fine; as is what
// coverage counts it under.
func (w *World) sided(weights []int, why, as string) int {
	rare := 0
	for _, x := range weights {
		rare += count(x == 0)
	}
	w.Run.asked.why, w.Run.asked.weights, w.Run.asked.sides = why, weights, nil
	w.Run.tossed, w.Environ.sided = w.Run.tossed || rare > 0, w.Environ.sided || rare > 0
	if rare > 0 && w.Environ.left.Rare == 0 {
		k := w.Run.common(weights, len(weights)-rare)
		if w.cover != nil {
			w.cover.weighed(as, weights, false, k)
		}
		return k
	}
	k := w.Run.toss(len(weights), func(i int) int { return weights[i] })
	if w.cover != nil {
		w.cover.weighed(as, weights, true, k)
	}
	if weights[k] == 0 {
		spend(&w.Environ.left.Rare)
		w.sums.rest()
		w.Environ.weather()
	}
	return k
}

func (p *port) Send(to sim.Addr, m sim.Message) bool {
	w := p.e.use("Send")
	if to.IsZero() || to.Index() >= w.n {
		panic(fmt.Sprintf("macemc: %s sends %s to %s, which is no node; check the address before sending",
			p.e.self, w.walker.Text(m), to))
	}
	if m == nil {
		panic(fmt.Sprintf("macemc: %s sends nil to %s; a message is a value of a type of its own", p.e.self, to))
	}
	w.nodes.timeless(p.e.self, "a message", m)
	if p.link == sim.LinkTCP && !w.room(p.e.self.Index(), to) {
		w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectRefused, Link: p.link, To: to, Value: m})
		if w.cover != nil {
			w.cover.refusedAt(guard.Caller())
		}
		return false
	}
	if p.link == sim.LinkTCP {
		w.Run.spending = true
		w.Run.spent[to.Index()]++
	}
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectSend, Link: p.link, To: to, Value: m})
	w.audit.hands()
	return true
}

// room is a fact: whether a connection can queue one more message, computed
// from the state before the step and what the handler has done so far.
func (w *World) room(i int, to sim.Addr) bool {
	return w.Links.tcp.Room(w.Links.tcp.Channel(i, to.Index())) > w.Run.spent[to.Index()]
}

// peer checks that a port is asked for something that it has, about a node.
func (p *port) peer(what string, to sim.Addr) *World {
	w := p.e.use(what)
	if p.link != sim.LinkTCP {
		panic(fmt.Sprintf("macemc: %s calls %s on its %s port; only tcp has connections and buffers", p.e.self, what, p.link))
	}
	if to.IsZero() || to.Index() >= w.n {
		panic(fmt.Sprintf("macemc: %s calls %s about %s, which is no node; check the address before", p.e.self, what, to))
	}
	return w
}

func (p *port) RequestToSend(to sim.Addr) {
	w := p.peer("RequestToSend", to)
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectAskClear, Link: p.link, To: to})
}

func (p *port) NotifyFlushed() {
	w := p.peer("NotifyFlushed", p.e.self)
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectAskFlushed, Link: p.link})
}

func (p *port) Reset(to sim.Addr) {
	w := p.peer("Reset", to)
	w.Run.spending = true
	w.Run.spent[to.Index()] = w.Links.tcp.Room(w.Links.tcp.Channel(p.e.self.Index(), to.Index())) - w.Links.tcp.Buffer()
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectReset, Link: p.link, To: to})
}

func (e *env) After(d time.Duration, timer sim.Signal) {
	w := e.use("After")
	if d < 0 {
		panic(fmt.Sprintf("macemc: env.After(%s, %s): a timer cannot be in the past", d, w.walker.Text(timer)))
	}
	w.nodes.timeless(e.self, "a timer", timer)
	w.Run.clocked = append(w.Run.clocked, clocked{e.timer("After", timer), true, e.due(d)})
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectAfter, Delay: d, Value: timer})
}

func (e *env) Cancel(timer sim.Signal) {
	w := e.use("Cancel")
	w.Run.clocked = append(w.Run.clocked, clocked{timer: e.timer("Cancel", timer)})
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectCancel, Value: timer})
}

// Scheduled is a fact: the state before the step and the handler's own
// effects so far.
func (e *env) Scheduled(timer sim.Signal) bool {
	w := e.use("Scheduled")
	t := e.timer("Scheduled", timer)
	is := w.scheduledNow(e.self.Index(), t)
	if w.tracing {
		w.Run.facts = append(w.Run.facts, sim.Fact{Asked: "scheduled", About: timer, Answer: is})
	}
	return is
}

func (w *World) scheduledNow(i int, t *sight.Timer) bool {
	for k := len(w.Run.clocked) - 1; k >= 0; k-- {
		if w.Run.clocked[k].timer == t {
			return w.Run.clocked[k].armed
		}
	}
	return w.nodes.at[i].scheduled(t)
}

// timer refuses a signal that cannot be compared before Go does.
func (e *env) timer(call string, s sim.Signal) *sight.Timer {
	w := e.w
	if t := w.timers.recent(s); t != nil {
		return t
	}
	if s == nil || !reflect.ValueOf(s).Comparable() {
		panic(fmt.Sprintf("macemc: env.%s(%s): a timer must be a comparable value (no slice, map or func in it), since equal values are one timer",
			call, w.walker.Text(s)))
	}
	if !equal(s, s) {
		panic(fmt.Sprintf("macemc: env.%s(%s): a timer must be equal to itself (no NaN in it): it could never be found again",
			call, w.walker.Text(s)))
	}
	if holdsPointer(reflect.ValueOf(s)) {
		panic(fmt.Sprintf("macemc: env.%s(%s): a timer must not hold a pointer: nodes are copied, and a pointer into one is no pointer into its copy; say what the timer is about by a name or a number",
			call, w.walker.Text(s)))
	}
	return w.timers.timer(s)
}

func equal(a, b sim.Signal) bool { return a == b }

// holdsPointer reports whether a comparable value has a pointer or channel in it.
func holdsPointer(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return !v.IsNil()
	case reflect.Interface:
		return !v.IsNil() && holdsPointer(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if holdsPointer(v.Field(i)) {
				return true
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if holdsPointer(v.Index(i)) {
				return true
			}
		}
	}
	return false
}

func (e *env) Post(task sim.Signal) {
	w := e.use("Post")
	if task == nil {
		panic(fmt.Sprintf("macemc: %s posts nil; a task is a value of a type of its own", e.self))
	}
	w.nodes.timeless(e.self, "a task", task)
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectPost, Value: task})
	w.audit.hands()
}

func (e *env) Bug(id sim.BugID) bool {
	w := e.use("Bug")
	if len(w.params.Bugs()) == 0 && !w.auditing {
		return false
	}
	if !slices.ContainsFunc(w.sys.Bugs, func(b sim.Bug) bool { return b.ID == id }) {
		panic(fmt.Sprintf("macemc: system %s asks for bug %q, which System.Bugs does not list", w.sys.Name, id))
	}
	return w.params.Bug(id)
}

func (e *env) Emit(fact any) {
	w := e.use("Emit")
	w.nodes.timeless(e.self, "a fact", fact)
	w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectEmit, Value: fact})
	w.audit.hands()
}

func (e *env) Tracing() bool { return e.w.tracing }

func (e *env) Logf(format string, args ...any) {
	w := e.use("Logf")
	if w.tracing {
		w.Run.effects = append(w.Run.effects, sim.Effect{Kind: sim.EffectLog, Value: fmt.Sprintf(format, args...)})
	}
}
