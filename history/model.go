package history

import "fmt"

// Model says what an object does: see Object.
type Model struct {
	name  string
	init  any
	apply func(state, input any) (next, output any, can bool)
	part  func(input any) any // of the object, which is an object of its own; nil: it has no parts
	of    []string            // the objects; nil: all
}

// Object is a model of one's own. apply says what an operation does to a state and what
// it returns; can is false where the operation has to wait. It is a pure function.
// States and outputs are compared by ==.
func Object[S, O comparable, I any](name string, init S, apply func(S, I) (next S, output O, can bool)) Model {
	return Model{name: name, init: init, apply: func(state, input any) (any, any, bool) {
		i, ok := input.(I)
		if !ok && input != nil { // which is an input too, where I is an interface
			panic(fmt.Sprintf("macemc: history: a %s has no operation %T", name, input))
		}
		s, _ := state.(S) // nil is a state too, where S is an interface
		next, output, can := apply(s, i)
		return next, output, can
	}}
}

// The operations of a Register, and with a key those of a Map.
type (
	// Write returns nil.
	Write struct{ Value any }
	// Read returns the value.
	Read struct{}
	// Put returns nil.
	Put struct{ Key, Value any }
	// Get returns the value; nil: there is none.
	Get struct{ Key any }
	// Delete returns nil.
	Delete struct{ Key any }
)

// Register holds one value, initial at first. Its operations are Read and Write.
func Register(initial any) Model {
	return Object("register", initial, func(value any, op any) (any, any, bool) {
		switch op := op.(type) {
		case Write:
			return op.Value, nil, true
		case Read:
			return value, value, true
		default:
			panic(fmt.Sprintf("macemc: history: a register has no operation %T; it has Read and Write", op))
		}
	})
}

// Map holds values by key, none at first. Its operations are Put, Get and Delete. A key
// is an object of its own: that is as strict, and less to keep.
func Map() Model {
	m := Object("map", any(nil), func(value any, op any) (any, any, bool) {
		switch op := op.(type) {
		case Put:
			return op.Value, nil, true
		case Get:
			return value, value, true
		default: // Delete: part knows no other
			return nil, nil, true
		}
	})
	m.part = func(op any) any {
		switch op := op.(type) {
		case Put:
			return op.Key
		case Get:
			return op.Key
		case Delete:
			return op.Key
		default:
			panic(fmt.Sprintf("macemc: history: a map has no operation %T; it has Put, Get and Delete", op))
		}
	}
	return m
}

// The operations of a Queue.
type (
	// Enqueue returns nil.
	Enqueue struct{ Value any }
	// Dequeue returns the value that has waited longest; nil: the queue is empty.
	Dequeue struct{}
)

// queued is a queue as a value that can be compared.
type queued struct {
	first any
	rest  any // a queued; nil: nothing
}

// Queue hands out in order what was put in. Its operations are Enqueue and Dequeue.
func Queue() Model {
	return Object("queue", any(nil), func(queue any, op any) (any, any, bool) {
		switch op := op.(type) {
		case Enqueue:
			return appended(queue, op.Value), nil, true
		case Dequeue:
			if q, some := queue.(queued); some {
				return q.rest, q.first, true
			}
			return nil, nil, true
		default:
			panic(fmt.Sprintf("macemc: history: a queue has no operation %T; it has Enqueue and Dequeue", op))
		}
	})
}

func appended(queue, value any) any {
	if q, some := queue.(queued); some {
		return queued{q.first, appended(q.rest, value)}
	}
	return queued{first: value}
}

// The operations of a Lock. By says who: the name of a client, or its address.
type (
	// Acquire returns true when By has the lock. It waits while another has it.
	Acquire struct{ By any }
	// TryAcquire returns whether By has got the lock.
	TryAcquire struct{ By any }
	// Release returns whether By had the lock.
	Release struct{ By any }
)

// Lock is held by one at a time. Its operations are Acquire, TryAcquire and Release.
func Lock() Model {
	return Object("lock", any(nil), func(holder any, op any) (any, bool, bool) {
		switch op := op.(type) {
		case Acquire:
			return op.By, true, holder == nil
		case TryAcquire:
			if holder != nil {
				return holder, false, true
			}
			return op.By, true, true
		case Release:
			if holder != op.By {
				return holder, false, true
			}
			return nil, true, true
		default:
			panic(fmt.Sprintf("macemc: history: a lock has no operation %T; it has Acquire, TryAcquire and Release", op))
		}
	})
}
