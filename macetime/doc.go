// Package macetime is the room of time: the instants that a service may hold
// and compare. A Time is only ever compared through Env.Before, where the
// answer is a question like every other; a Monotone compares exactly.
//
// Nothing here reads a clock. Under the simulator an instant is a name; over a
// real network it is the wall clock's reading.
package macetime

// Time is an instant read by Env.Now on one node. It means nothing on another
// node, so it may be put neither into a message nor into the store.
type Time struct{ _ uint64 }

// Monotone is a reading that grows with every call of Env.Monotone on a node.
// Two readings of one node compare exactly, and without a question.
type Monotone struct{ n uint64 }

// Less reports whether m was read before o.
func (m Monotone) Less(o Monotone) bool { return m.n < o.n }
