package sim

import (
	"fmt"
	"math/bits"
	"reflect"
	"strings"

	"macemc/internal/canon"
	"macemc/internal/sight"
)

// Handlers lists the methods of a service by the type that each handles. With it a plain
// struct becomes a Node without a type switch, and the compiler checks each method:
//
//	var handlers = sim.Handle(
//		sim.OnMessage((*node).join), // func (n *node) join(env sim.Env, from sim.Addr, m joinMsg)
//		sim.OnSignal((*node).begin), // func (n *node) begin(env sim.Env, s beginReq)
//		sim.OnSignal((*node).broken), // func (n *node) broken(env sim.Env, e sim.PeerError)
//	)
//
//	New: func(p sim.Params, self sim.Addr) sim.Node { return handlers.Node(&node{}) },
//
// A message or signal without a handler is a finding. If N has methods Offers, Accepts or
// Upper, they are used, and so is a method Init(Env) unless OnInit names another.
// Properties see the value of type N.
type Handlers[N any] struct{ table }

// table holds the handlers of a service. It has no type parameter, as Handlers has, since calls of
// generic code are slower. Its functions receive the service's value as an any.
type table struct {
	init     func(any, Env)
	messages []func(any, Env, Addr, Message) // messages[0] is called for a message without a handler
	signals  []func(any, Env, Signal)
	quorums  []func(any, Env, Quorum)
	message  dispatch // the index in messages of a message's handler
	signal   dispatch
	quorum   dispatch // the index in quorums of a quorum's handler, plus one
	listed   sight.Handlers
}

// Handler is one method of a service, made by OnMessage, OnSignal, OnQuorum or OnInit.
type Handler[N any] struct{ handling }

// handling is Handler without the type parameter.
type handling struct {
	sight.Handler
	init    func(any, Env)
	message func(any, Env, Addr, Message)
	signal  func(any, Env, Signal)
	quorum  quorum
}

// OnInit returns the Handler that starts a node by calling method. A service with a method
// Init(Env) does not need it.
func OnInit[N any](method func(N, Env)) Handler[N] {
	return Handler[N]{handling{Handler: handlerOf(sight.HandlerInit, nil, method), init: func(n any, env Env) { method(n.(N), env) }}}
}

// OnMessage returns the Handler that handles messages of type M by calling method.
func OnMessage[N, M any](method func(N, Env, Addr, M)) Handler[N] {
	return Handler[N]{handling{
		Handler: handlerOf(sight.HandlerMessage, reflect.TypeFor[M](), method),
		message: func(n any, env Env, from Addr, m Message) { method(n.(N), env, from, m.(M)) },
	}}
}

// OnSignal returns the Handler that handles signals of type S by calling method. S is the
// type of a timer, a task, a request or an action of the service, or sim's PeerError,
// ClearToSend or Flushed.
func OnSignal[N, S any](method func(N, Env, S)) Handler[N] {
	return Handler[N]{handling{
		Handler: handlerOf(sight.HandlerSignal, reflect.TypeFor[S](), method),
		signal:  func(n any, env Env, s Signal) { method(n.(N), env, s.(S)) },
	}}
}

func handlerOf(kind sight.HandlerKind, of reflect.Type, method any) sight.Handler {
	return sight.Handler{Kind: kind, Of: of, Code: reflect.ValueOf(method).Pointer()}
}

// Handle returns Handlers with the given methods. Errors, such as two methods for one type,
// are reported by System.Validate.
func Handle[N any](methods ...Handler[N]) *Handlers[N] {
	h := &Handlers[N]{table{
		messages: []func(any, Env, Addr, Message){func(n any, _ Env, _ Addr, m Message) { unhandled(n, "message", "OnMessage", m) }},
		signals:  []func(any, Env, Signal){func(n any, _ Env, s Signal) { unhandled(n, "signal", "OnSignal", s) }},
	}}
	for _, m := range methods {
		h.add(m)
	}
	if _, listed := h.listed.Find(sight.HandlerInit, nil); !listed {
		h.addInit()
	}
	return h
}

// addInit adds N's own method Init to the handlers, if N has one. Without it, a node whose author did not
// list Init would start without the data that it stored, and no error would say so.
func (h *Handlers[N]) addInit() {
	node := reflect.TypeFor[N]()
	if !node.Implements(reflect.TypeFor[interface{ Init(Env) }]()) {
		return
	}
	init := OnInit(func(n N, env Env) { any(n).(interface{ Init(Env) }).Init(env) })
	if m, ok := node.MethodByName("Init"); ok && m.Func.IsValid() { // a method of an interface type has no code
		init.Code = m.Func.Pointer()
	}
	h.add(init)
}

func (h *Handlers[N]) add(m Handler[N]) {
	h.listed.Refuse(h.refuse(m.Handler))
	h.table.add(m.handling)
}

func (t *table) add(m handling) {
	t.listed.Add(m.Handler)
	switch m.Kind {
	case sight.HandlerInit:
		t.init = m.init
	case sight.HandlerMessage:
		t.messages = append(t.messages, m.message)
		t.message.put(m.Of)
	case sight.HandlerSignal:
		t.signals = append(t.signals, m.signal)
		t.signal.put(m.Of)
	case sight.HandlerQuorum:
		t.quorums = append(t.quorums, m.quorum.take)
		t.quorum.put(m.Of)
		t.listed.Gathers(m.quorum.of)
	}
	t.listed.Alone()
}

func (h *Handlers[N]) refuse(m sight.Handler) error {
	what := [...]string{sight.HandlerInit: "OnInit", sight.HandlerMessage: "OnMessage", sight.HandlerSignal: "OnSignal", sight.HandlerQuorum: "OnQuorum"}
	_, twice := h.listed.Find(m.Kind, m.Of)
	switch node := reflect.TypeFor[N](); {
	case m.Kind == 0:
		return fmt.Errorf("a handler of %s was made by none of OnInit, OnMessage, OnSignal and OnQuorum", node)
	case m.Of != nil && m.Of.Kind() == reflect.Interface:
		return fmt.Errorf("%s has an %s of %s, an interface; a handler is of one type of values", node, what[m.Kind], m.Of)
	case twice && m.Of == nil:
		return fmt.Errorf("%s has two OnInit", node)
	case twice:
		return fmt.Errorf("%s has two %s of %s", node, what[m.Kind], m.Of)
	}
	return nil
}

// HandlerTable marks the table as not being part of a node's state.
func (t *table) HandlerTable() {}

// Refuse makes System.Validate return err. It is for packages that build Handlers from
// tables of their own.
func (h *Handlers[N]) Refuse(err error) *Handlers[N] {
	h.listed.Refuse(err)
	return h
}

// Node returns n as a Node.
func (h *Handlers[N]) Node(n N) Node { return &handled{n, &h.table} }

// Of returns the value that a Node was made of. System.Crash needs it to read a dead node.
func (h *Handlers[N]) Of(n Node) N { return n.(*handled).subject.(N) }

// handled is a Node that consists of a plain value and the table of its handlers. Texts and
// properties look through it, at the value.
type handled struct {
	subject any
	table   *table
}

// Subject returns the plain value. With Handlers it implements sight.Handled.
func (n *handled) Subject() any              { return n.subject }
func (n *handled) Handlers() *sight.Handlers { return &n.table.listed }

// Upper returns the node that the value carries, if it is a Layer, or else nil.
func (n *handled) Upper() Node {
	if l, ok := n.subject.(interface{ Upper() Node }); ok {
		return l.Upper()
	}
	return nil
}

func (n *handled) Init(env Env) {
	if n.table.init != nil {
		n.table.init(n.subject, env)
	}
}

func (n *handled) Deliver(env Env, from Addr, m Message) {
	t := n.table
	t.messages[t.message.get(m)](n.subject, env, from, m)
}

func (n *handled) Handle(env Env, s Signal) {
	t := n.table
	t.signals[t.signal.get(s)](n.subject, env, s)
}

func unhandled(n any, what, maker string, v any) {
	hint := "list one with sim." + maker
	if t := reflect.TypeOf(v); strings.HasPrefix(t.PkgPath(), layersPath) { // users do not know the types of a layer
		hint = fmt.Sprintf("only nodes of the layer %s get it: make the node with the function Over of that package", strings.TrimPrefix(t.PkgPath(), layersPath))
	}
	panic(Unhandled{fmt.Sprintf("%T%s%s %T; %s", n, sight.Unlisted, what, v, hint)})
}

// layersPath is the beginning of the import paths of this module's layers: "macemc/layers/".
var layersPath = strings.TrimSuffix(reflect.TypeFor[Addr]().PkgPath(), "sim") + "layers/"

// dispatch maps the type of a value to its position in a list of handlers. It is a hash
// table, at most half full, whose keys are the type words of interfaces.
type dispatch struct {
	slots []slot
	shift uint8
	n     uint32
}

type slot struct {
	word  uintptr // the type word of an interface that holds the type; 0 if the slot is free
	place uint32  // the position in the list plus one
}

// put assigns the next position in the list to a type.
func (d *dispatch) put(of reflect.Type) {
	if d.n++; int(d.n)*2 > len(d.slots) {
		old := d.slots
		d.slots = make([]slot, max(4, 2*len(old)))
		d.shift = uint8(64 - bits.Len(uint(len(d.slots)-1)))
		for _, s := range old {
			if s.word != 0 {
				d.place(s)
			}
		}
	}
	d.place(slot{canon.Dynamic(reflect.Zero(of).Interface()), d.n})
}

func (d *dispatch) place(s slot) {
	at := d.home(s.word)
	for d.slots[at].word != 0 && d.slots[at].word != s.word {
		at = (at + 1) % len(d.slots)
	}
	d.slots[at] = s
}

func (d *dispatch) home(word uintptr) int {
	return int(uint64(word) * 0x9E3779B97F4A7C15 >> (d.shift & 63))
}

// get returns the position of a value's type plus one, or 0 if the type is unknown.
func (d *dispatch) get(v any) uint32 {
	word := canon.Dynamic(v)
	if at := d.home(word); at < len(d.slots) && d.slots[at].word == word {
		return d.slots[at].place
	}
	return d.far(word)
}

// far does what get does for a type whose first slot holds another type.
func (d *dispatch) far(word uintptr) uint32 {
	for at := range d.slots {
		if d.slots[at].word == word {
			return d.slots[at].place
		}
	}
	return 0
}

// unhandledOpenings returns an error if script, the requests of the node at self, has one
// that the node n does not handle.
func unhandledOpenings(n Node, self Addr, script []Signal) error {
	h, ok := n.(sight.Handled)
	if !ok {
		return nil
	}
	for _, s := range script {
		if (Event{Kind: KindScript, Value: s}).Membership() {
			continue // no handler runs
		}
		if _, found := h.Handlers().Find(sight.HandlerSignal, reflect.TypeOf(s)); !found {
			return fmt.Errorf("the Script of %s has a %T, for which %T has no handler; list one with sim.OnSignal%s",
				self, s, h.Subject(), delivered(h, s))
		}
	}
	return nil
}

// delivered returns a hint for the error that no handler takes the signal s. If a handler takes messages of
// its type, the hint says so; otherwise it is "".
func delivered(h sight.Handled, s Signal) string {
	if _, found := h.Handlers().Find(sight.HandlerMessage, reflect.TypeOf(s)); found {
		return " (OnMessage is for what other nodes send)"
	}
	return ""
}
