package sim

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"macemc/internal/canon"
	"macemc/macetime"
)

// A Message is what one node sends another: any value, immutable once sent. It
// holds no pointer into the node, nor a map or slice that the node changes
// later: that would be found as a mutation.
type Message = any

// A Signal is what a node sends itself or gets from its script: a timer, a
// task, a request, a guarded action. It is a value of the service's own types.
// Timers must be comparable; equal values are one timer. A signal is immutable
// as a message is.
type Signal = any

// Node is a service on one node. It may be any Go value.
type Node interface {
	// Init starts the node; it is not yet asked for anything.
	Init(Env)
	// Deliver hands it a message.
	Deliver(Env, Addr, Message)
	// Handle hands it everything else: its own timers, tasks, requests and
	// actions, and sim's PeerError, ClearToSend and Flushed. End the switch
	// with default: panic(...), or in a layer with default: upper.Handle(...).
	Handle(Env, Signal)
}

// Layer is a node that carries another. Properties, Offers and Accepts look
// through it.
type Layer interface {
	Node
	Upper() Node
}

// Flawed is a layer with known bugs. A System with such a layer must list them in Bugs.
type Flawed interface{ KnownBugs() []Bug }

// Offerer is a node with guarded actions: each signal that Offers yields now
// is an enabled event, and comes to Handle when it is chosen. Offers must be a
// pure function of the node's state.
type Offerer interface{ Offers(func(Signal)) }

// Opener is a node with a guard on its script: the opening that comes next waits,
// and those behind it, for as long as Opens declines it. Opens must be a pure
// function of the node's state. Where several layers have it, all must agree: say
// true to what is not yours.
type Opener interface{ Opens(Signal) bool }

// Gatherer is a node with guarded actions that depend on what is in its Set: each
// signal that Gathers yields now is an enabled event, and comes to Handle when it
// is chosen. in are the messages of the set with their senders, in canonical order,
// but for those that a partition keeps away; none is taken. Gathers must be a pure
// function of them and of the node's state.
type Gatherer interface {
	Gathers(in iter.Seq2[Addr, Message], offer func(Signal))
}

// Accepter is a node with guards on messages: a message that is declined now
// is not an enabled event now. On TCP and UDP, which have an order, it blocks what
// is behind it: of a channel, only the head is asked about. (A fault of reorder may
// overtake it; after healing there is none, so that what is behind it then stays
// there.) Messages of a Set and of a Bag are asked about one by one. Accepts must be a pure function of the node's
// state. Where several layers have it, all must accept: say true to what is
// not yours.
type Accepter interface{ Accepts(Addr, Message) bool }

// Summarizer says what stands for a value's state, at any depth: the last
// resort for values that cannot be walked. Prefer System.Opaque.
type Summarizer = canon.Summarizer

// Timekeeper is a node that keeps instants of type time.Time, as libraries do that are given
// a clock. Two nodes are equal if their instants are as far from their Moments. Zero times
// stay what they are. Moment must be a pure function of the node's state.
type Timekeeper interface{ Moment() time.Time }

// Env is the world as a handler sees it. It is valid until the handler
// returns; pass it on, do not keep it.
type Env interface {
	// Self is the node that the handler runs on.
	Self() Addr
	// Peers are all other nodes, in order. What Params say System.New is told: keep
	// in the node what its handlers need.
	Peers() []Addr

	// Choose is a free choice in [0, n); why says for what.
	Choose(n int, why string) int
	// Weighted is a choice among len(w) alternatives. An alternative of weight
	// 0 is rare: it is only taken within the budget Faults.Rare, in the
	// exhaustive phase and in the storms of random walks. Without a budget, as
	// is the default, it never is.
	Weighted(w []int, why string) int

	// Now reads the node's clock, which never goes backwards: see package
	// macetime. How much it goes on between two readings is open, and timers
	// have nothing to do with it unless System.Clock says so.
	Now() macetime.Time
	// Before reports whether a is earlier than b. Where the answers so far leave
	// both possible, it is a choice; else it is what follows from them.
	Before(a, b macetime.Time) bool
	// BeforeWeighted is Before with a weight for each answer, as in Weighted: one
	// of weight 0 is rare.
	BeforeWeighted(a, b macetime.Time, yes, no int) bool
	// Monotone is a reading of which only the order counts.
	Monotone() macetime.Monotone

	// TCP, UDP, Set and Bag are the links to the other nodes. TCP has order and
	// connections; UDP has order and loses what it has no room for, and faults
	// lose, double and reorder what is under way. Set and Bag have no order, lose
	// nothing, whatever the faults, and refuse nothing: what is put into the set
	// can be delivered again and again, and what is in the bag, once. There a
	// message waits while its receiver is down, beyond a partition, or declines it
	// (see Accepter), and is in no other's way.
	TCP() Port
	UDP() Port
	Set() Port
	Bag() Port

	// After schedules a timer. Timers do not wait: every scheduled timer may
	// fire at any step; d is what the real network will wait. Where System.Clock
	// says what the clocks keep to, they fire in the order in which they are due.
	// Scheduling a timer that is scheduled re-arms it.
	After(d time.Duration, timer Signal)
	// Cancel unschedules a timer.
	Cancel(timer Signal)
	// Scheduled reports whether a timer is scheduled.
	Scheduled(timer Signal) bool
	// Post hands the node a task as a step of its own: a slow disk, a slow
	// application. Several tasks of a node are unordered.
	Post(task Signal)
	// Store is what survives a crash, and may be read in Init: what was synced,
	// and of what was written since as much as the disk got to. A node that
	// stores may crash in the middle of a handler too, between two of its sends,
	// writes and syncs.
	Store() Store

	// Bug reports whether a known bug is switched on.
	Bug(BugID) bool
	// Emit tells the monitors a fact, which is immutable as a message is.
	Emit(fact any)
	// Tracing reports whether Logf is heard; ask it before costly arguments.
	Tracing() bool
	// Logf writes a line into the trace.
	Logf(format string, args ...any)
}

// Port sends over one link.
type Port interface {
	// Send hands m to the link. False means refused: the buffer is full (of
	// TCP; 20 messages unless Network says otherwise), and m is not sent.
	Send(to Addr, m Message) bool
	// RequestToSend asks for a ClearToSend signal when there is room again.
	RequestToSend(to Addr)
	// NotifyFlushed asks for a Flushed signal when all was handed over.
	NotifyFlushed()
	// Reset breaks the connection, at both ends, with loss.
	Reset(to Addr)
}

// ErrDisk is what a disk says that fails.
var ErrDisk = errors.New("the disk fails")

// Store is the stable storage of a node: keys with values, and files. What a
// handler writes it reads back at once. A crash leaves what was synced, and of the
// other writes, to keys and files together, the first few in their order, or any
// (--disk reorder); of the last append that survives, possibly only the first half, and
// so of one WriteAt. A sync is of the keys, or of one file. Package simfs has files in
// directories over it, as libraries expect them. Like its Env, a Store is valid until the
// handler returns.
//
// Sync, Append and WriteAt fail within the budget Faults.Disk, with ErrDisk; else they return
// nil. Of a write that fails, possibly the first half is written. After a sync that
// fails it is open what of the writes before it is on the disk, whatever is synced
// later.
type Store interface {
	Get(key string) (value string, is bool)
	Put(key, value string)
	Delete(key string)
	Keys() []string
	Sync() error
	// File is the file of a name, which is empty before it is written.
	File(name string) File
	// Files lists the files that are not empty, in order.
	Files() []string
}

// File is a file that is appended to, overwritten, and cut. An Append or a WriteAt
// writes one record, whole or torn.
type File interface {
	Append(data []byte) error
	// WriteAt writes data from an offset on. Zeros fill a gap between the end of the
	// file and the offset.
	WriteAt(data []byte, offset int) error
	Sync() error
	ReadAll() []byte
	// Truncate leaves the first size bytes.
	Truncate(size int)
}

// PeerError is the signal that the TCP connection to a peer broke or was
// refused: after a reset, where the peer crashed, or across a partition. What
// the node had sent to the peer and was not delivered by then is lost, and
// nobody says what that was; what it sends from now on opens the connection
// anew. It comes only where faults are allowed, or Port.Reset is called.
type PeerError struct {
	Peer  Addr
	Cause Cause
}

// Cause is why a connection failed.
type Cause uint8

// The causes of a PeerError.
const (
	CauseReset   Cause = iota + 1 // the connection broke
	CauseRefused                  // nobody listens there
)

func (c Cause) String() string {
	switch c {
	case CauseReset:
		return "reset"
	case CauseRefused:
		return "refused"
	default:
		return "unknown cause"
	}
}

// ClearToSend is the signal that the buffer to a peer has room again.
type ClearToSend struct{ Peer Addr }

// Join is an opening of a script: the node is not there until it happens. It stands
// first in the script of a first life; Init runs when it happens, and nobody reaches the
// node before.
type Join struct{}

// Leave is an opening of a script: the node leaves for good, as after a fault of down. It
// stands last in a script, and the node hears nothing of it.
type Leave struct{}

// Flushed is the signal that every buffer was handed over.
type Flushed struct{}

// Above is the Env that a layer hands its upper node: everything as below,
// but TCP is the layer's own Port.
type Above struct {
	Env
	Port Port
}

// TCP is the layer's port.
func (a *Above) TCP() Port { return a.Port }

// Keys are a map's keys in order: range over them where the order of sends
// must not depend on the map.
func Keys[M ~map[K]V, K cmp.Ordered, V any](m M) []K { return slices.Sorted(maps.Keys(m)) }

// Addrs are the addresses that are keys of a map, in order.
func Addrs[M ~map[Addr]V, V any](m M) []Addr {
	return slices.SortedFunc(maps.Keys(m), Addr.Compare)
}
