package sight

import (
	"cmp"
	"reflect"
)

// Handled is a node that consists of a service's own value and a table of its methods. Only the value is part
// of the node's state.
type Handled interface {
	Subject() any
	Handlers() *Handlers
}

// Handlers lists the methods of a service by what they handle.
type Handlers struct {
	List    []Handler
	Quorums []Quorum
	Err     error // the first error that the author of the table made
}

// Quorum describes how a node takes several messages of one type at once. Its functions get
// the service's own value (the subject) and messages, and return the kind of messages that
// are taken together, all as values of type any.
type Quorum struct {
	Of    reflect.Type
	Size  func(subject any) int
	Match func(subject any, from int, message any) (kind any, ok bool)
	Only  bool // no handler takes a message of the type by itself
}

// Add adds one handler to the list.
func (h *Handlers) Add(one Handler) { h.List = append(h.List, one) }

// Gathers adds q to the ways in which the service takes several messages at once.
func (h *Handlers) Gathers(q Quorum) { h.Quorums = append(h.Quorums, q) }

// Alone sets the field Only of each Quorum: whether no handler takes messages of its type one by
// one. It must be called after all handlers were added.
func (h *Handlers) Alone() {
	for i := range h.Quorums {
		q := &h.Quorums[i]
		_, alone := h.Find(HandlerMessage, q.Of)
		q.only(!alone)
	}
}

func (q *Quorum) only(only bool) { q.Only = only }

// Unlisted is a part of the message with which a node panics if its Handlers have no handler for a message or
// signal. Reports recognize the panic by it.
const Unlisted = " has no handler of the "

// Refuse records in h.Err an error that the author of the table made, unless an earlier one is
// recorded.
func (h *Handlers) Refuse(err error) { h.Err = cmp.Or(h.Err, err) }

// Handler is one method of a service.
type Handler struct {
	Kind HandlerKind
	Of   reflect.Type // the type of the message or signal; nil for Init
	Code uintptr      // the address of the method's code
}

// HandlerKind is the kind of a handler.
type HandlerKind uint8

// The kinds of handlers.
const (
	HandlerInit HandlerKind = iota + 1
	HandlerMessage
	HandlerSignal
	HandlerQuorum
)

// Find returns the handler of a kind for a type.
func (h *Handlers) Find(kind HandlerKind, of reflect.Type) (Handler, bool) {
	for _, one := range h.List {
		if one.Kind == kind && one.Of == of {
			return one, true
		}
	}
	return Handler{}, false
}

// Subject returns the service's own value: the value of a Handled node, or the node itself.
func Subject(node any) any {
	if h, ok := node.(Handled); ok {
		return h.Subject()
	}
	return node
}

// Table marks a table of handlers as not being part of a node's state.
type Table interface{ HandlerTable() }

// Hidden is implemented by nodes that properties cannot see: Byzantine ones.
type Hidden interface{ Hidden() }
