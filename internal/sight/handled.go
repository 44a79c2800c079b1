package sight

import (
	"cmp"
	"reflect"
)

// Handled is a node made of a service's own value and a table of its methods. Only the
// value is part of the node's state.
type Handled interface {
	Subject() any
	Handlers() *Handlers
}

// Handlers lists the methods of a service by what they handle.
type Handlers struct {
	List []Handler
	Err  error // an error of the author in making the table
}

// Refuse records an error of the author. The first one counts.
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

// Hidden is a node that properties see nothing of: a Byzantine one.
type Hidden interface{ Hidden() }
