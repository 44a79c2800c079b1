package history

import "fmt"

// Model defines what an object does. Make one with Register, Map, Queue, Lock or Object.
type Model struct {
	name  string
	init  any
	apply func(state, input any) (next, output any, can bool)
	part  func(input any) any // returns the part of the object that an input is about; nil if the object has no parts
	of    []string            // the names of the objects that the model describes; nil means all
}

// Object returns a model of your own. apply returns the state after an operation, and what
// the operation returns; can is false if the operation has to wait. It must be a pure
// function. States and outputs are compared with ==.
func Object[S, O comparable, I any](name string, init S, apply func(S, I) (next S, output O, can bool)) Model {
	return Model{name: name, init: init, apply: func(state, input any) (any, any, bool) {
		i, ok := input.(I)
		if !ok && input != nil { // a nil input is allowed if I is an interface
			panic(fmt.Sprintf("macemc: history: a %s has no operation %T", name, input))
		}
		s, _ := state.(S) // a nil state is allowed if S is an interface
		next, output, can := apply(s, i)
		return next, output, can
	}}
}

// The operations of a Register, and with a key those of a Map.
type (
	// Write returns nil.
	Write struct{ Value any }
	// Read returns the value of the register.
	Read struct{}
	// Put returns nil.
	Put struct{ Key, Value any }
	// Get returns the value of the key, or nil if there is none.
	Get struct{ Key any }
	// Delete returns nil.
	Delete struct{ Key any }
)

// Register is a model of an object that holds one value. Its operations are Read and Write.
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

// Map is a model of an object that holds values by key. Its operations are Put, Get and
// Delete. Each key is checked as an object of its own: that is as strict, and needs less
// memory.
func Map() Model {
	m := Object("map", any(nil), func(value any, op any) (any, any, bool) {
		switch op := op.(type) {
		case Put:
			return op.Value, nil, true
		case Get:
			return value, value, true
		default: // Delete: part has rejected all other inputs
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
	// Dequeue returns the oldest value, or nil if the queue is empty.
	Dequeue struct{}
)

// queued is a queue as a comparable value.
type queued struct {
	first any
	rest  any // the rest of the queue: a queued, or nil
}

// Queue is a model of a first-in, first-out queue. Its operations are Enqueue and Dequeue.
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

// The operations of a Lock. By is the name of a client, or its address.
type (
	// Acquire waits while another client has the lock, and returns true.
	Acquire struct{ By any }
	// TryAcquire returns whether By has got the lock.
	TryAcquire struct{ By any }
	// Release returns whether By had the lock.
	Release struct{ By any }
)

// Lock is a model of a lock that one client can hold. Its operations are Acquire,
// TryAcquire and Release.
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
