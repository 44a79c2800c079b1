package sight

import (
	"cmp"
	"reflect"
)

// Handled is a node made of a service's own value and a table of its methods, by
// what they handle. The value is the node's state; the table is none.
type Handled interface {
	Subject() any
	Handlers() *Handlers
}

// Handlers tell which methods a service has, by what they handle.
type Handlers struct {
	List []Handler
	Err  error // of the author's, in making the table
}

// Refuse notes an error of the author's. The first one counts.
func (h *Handlers) Refuse(err error) { h.Err = cmp.Or(h.Err, err) }

// Handler is one of them.
type Handler struct {
	Kind HandlerKind
	Of   reflect.Type // of the message or signal; nil: the start
	Code uintptr      // where the method begins
}

// HandlerKind is what a handler is for.
type HandlerKind uint8

// The kinds of handlers.
const (
	HandlerInit HandlerKind = iota + 1
	HandlerMessage
	HandlerSignal
)

// Find is the handler of a kind for a type.
func (h *Handlers) Find(kind HandlerKind, of reflect.Type) (Handler, bool) {
	for _, one := range h.List {
		if one.Kind == kind && one.Of == of {
			return one, true
		}
	}
	return Handler{}, false
}

// Subject is the service's own value: what a Handled node is made of, or the
// node itself.
func Subject(node any) any {
	if h, ok := node.(Handled); ok {
		return h.Subject()
	}
	return node
}

// Table marks a table of handlers, which is no part of a node's state.
type Table interface{ HandlerTable() }
