package core

import (
	"math"
	"reflect"
	"unsafe"

	raft "go.etcd.io/raft/v3"
)

// The library draws a new election timeout, of election to 2*election-1 ticks, whenever
// its role changes, from a generator that all nodes share and that nobody can seed.
// Nobody sees what was drawn until, at a tick, as much time has gone by or not. So it
// need not be drawn before: at each tick that may be the one, Tick is told whether it
// is, and writes a timeout into the node that has gone by, or one that never does. That
// is the same distribution of runs, the choice is whoever's who asks, and what was drawn
// is no part of the state.

// Ticks returns how many ticks have passed since the node heard from a leader, or since its
// election began. A leader's ticks are counted from 0 to election.
func (n *Node) Ticks() int { return *n.field(elapsed) }

// Tick makes the node's clock tick. expired says whether the election timeout of a server that does
// not lead is over at this tick; the library's own random timeout is not used.
func (n *Node) Tick(expired bool) {
	*n.field(timeout) = math.MaxInt
	if expired {
		*n.field(timeout) = 0
	}
	n.RawNode.Tick()
}

// Bound sets the node's count of ticks back to most if it is larger. If every timeout is over after
// most ticks, this changes nothing but keeps the number of states finite.
func (n *Node) Bound(most int) { *n.field(elapsed) = min(*n.field(elapsed), most) }

func (n *Node) field(offset uintptr) *int {
	return (*int)(n.at(offset))
}

// Role returns the node's term, and whether it leads in this term. It is never late: a Ready
// reports a leader only when it is taken, and not at all if the leader was deposed before.
func (n *Node) Role() (term uint64, leads bool) {
	return *(*uint64)(n.at(termAt)), raft.StateType(*(*uint64)(n.at(roleAt))) == raft.StateLeader
}

// Waiting returns the number of messages that wait for the next Ready.
func (n *Node) Waiting() int { return len(*(*[]struct{})(n.at(waitsAt))) }

func (n *Node) at(offset uintptr) unsafe.Pointer {
	return unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(n.RawNode), inner.Offset)), offset)
}

// The offsets of fields are determined once, from the library's types. If a field is missing or has
// another type, the program ends when it starts.
var (
	inner   = find(reflect.TypeFor[raft.RawNode](), "raft", reflect.Pointer)
	elapsed = find(inner.Type.Elem(), "electionElapsed", reflect.Int).Offset
	timeout = find(inner.Type.Elem(), "randomizedElectionTimeout", reflect.Int).Offset
	termAt  = find(inner.Type.Elem(), "Term", reflect.Uint64).Offset
	roleAt  = find(inner.Type.Elem(), "state", reflect.Uint64).Offset
	waitsAt = find(inner.Type.Elem(), "msgs", reflect.Slice).Offset
)

func find(t reflect.Type, name string, kind reflect.Kind) reflect.StructField {
	f, ok := t.FieldByName(name)
	if !ok || f.Type.Kind() != kind {
		panic("core: this version of the library has no field " + t.String() + "." + name + " of kind " + kind.String())
	}
	return f
}
