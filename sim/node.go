package sim

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"macemc/macetime"
)

// A Message is a value of any type that one node sends to another. It is immutable once sent. It must not
// contain a pointer into the node, or a map or slice that the node changes later. A change
// is found and reported as a mutation.
type Message = any

// A Signal is a value that a node receives from itself or from its script: a timer, a task,
// a request, or an action. Its type belongs to the service. Timers must be comparable, and
// equal values are the same timer. A signal is immutable, as a message is.
type Signal = any

// Node is a service on one node. It may be any Go value. The package's documentation lists more methods
// that a node may have.
type Node interface {
	// Init starts the node. No other method is called before it.
	Init(Env)
	// Deliver handles a message.
	Deliver(Env, Addr, Message)
	// Handle handles everything else: the node's own timers, tasks, requests and actions,
	// and sim's PeerError, ClearToSend and Flushed. End a type switch with default:
	// panic(...), or in a layer with default: upper.Handle(...).
	Handle(Env, Signal)
}

// Env is what a handler may use. It is valid only until the handler returns: pass it on,
// but do not keep it.
type Env interface {
	// Self returns the address of the node on which the handler runs.
	Self() Addr
	// Peers returns all other nodes, in order. A handler has no access to Params; a node
	// that needs them keeps them when System.New makes it.
	Peers() []Addr

	// Choose returns a free choice in [0, n). The text why appears in reports.
	Choose(n int, why string) int
	// Weighted returns a choice among len(w) alternatives. An alternative of weight 0 is
	// rare: it is taken only within the budget Faults.Rare, in the exhaustive phase and in
	// the storms of random walks. The default budget is 0, so by default it is never taken.
	Weighted(w []int, why string) int

	// Now reads the node's clock, which never runs backwards; see package macetime. How
	// much time passes between two readings is open, and timers are unrelated to it unless
	// System.Clock relates them.
	Now() macetime.Time
	// Before reports whether a is earlier than b. It is a choice if the answers so far
	// leave both possible; otherwise it follows from them.
	Before(a, b macetime.Time) bool
	// BeforeWeighted is Before with a weight for each answer, as in Weighted. An answer of
	// weight 0 is rare.
	BeforeWeighted(a, b macetime.Time, yes, no int) bool
	// Monotone reads a clock that only says which of two readings was first, and not how
	// much time lies between them.
	Monotone() macetime.Monotone

	// TCP, UDP, Set and Bag return the links to the other nodes. TCP has connections and
	// keeps order. UDP keeps order and drops datagrams that exceed its capacity; faults
	// lose, duplicate and reorder datagrams. Set and Bag have no order and never lose or
	// refuse a message, whatever the faults. A message in the set can be delivered again
	// and again, one in the bag only once. There a message waits while its receiver is
	// down, is cut off by a partition, or declines it by its Accepts, and blocks no other
	// message.
	TCP() Conn
	UDP() Port
	Set() Port
	Bag() Port

	// After schedules a timer. A scheduled timer may fire at any step; d matters only on
	// real clocks, or if System.Clock says how exact the clocks are: then timers fire in
	// the order in which they are due. Scheduling a scheduled timer re-arms it.
	After(d time.Duration, timer Signal)
	// Cancel unschedules a timer.
	Cancel(timer Signal)
	// Scheduled reports whether a timer is scheduled.
	Scheduled(timer Signal) bool
	// Post queues a task for the node, which is handled as a step of its own. It models a
	// slow disk or a slow application. The tasks of a node have no order.
	Post(task Signal)
	// Store returns the storage of the node that survives a crash. It may be read in Init:
	// it then holds what was synced, and part of what was written since. A node that stores
	// may also crash in the middle of a handler, between two sends, writes and syncs.
	Store() Store

	// Bug reports whether a known bug is switched on.
	Bug(BugID) bool
	// Emit passes a fact to the monitors. The fact is immutable, as a message is.
	Emit(fact any)
	// Tracing reports whether the lines of Logf are read. Ask before computing costly arguments.
	Tracing() bool
	// Logf adds a line to the trace.
	Logf(format string, args ...any)
}

// Port sends over one link.
type Port interface {
	// Send hands m to the link. It returns false, and m is not sent, if the buffer of a TCP
	// connection is full (20 messages, unless System.Network says otherwise).
	Send(to Addr, m Message) bool
}

// Conn is the Port of TCP, which has connections and buffers.
type Conn interface {
	Port
	// RequestToSend asks for a ClearToSend signal as soon as the buffer of the connection
	// to a node has room again.
	RequestToSend(to Addr)
	// NotifyFlushed asks for a Flushed signal as soon as every message that the node sent
	// over TCP was handed over to its receiver, or was lost with its connection.
	NotifyFlushed()
	// Reset breaks the connection at both ends and loses the messages in it.
	Reset(to Addr)
}

// ErrDisk is the error that a failing disk returns.
var ErrDisk = errors.New("the disk fails")

// Store is the stable storage of a node: keys with values, and files. A handler reads back its
// own writes at once. A crash keeps the writes that were synced. It keeps the first few of the
// other writes, to keys and files together, in their order, or any subset of them if disks may
// reorder writes; of the last append or WriteAt that survives, it may keep only the first half.
// A sync covers all keys, or one file. Package simfs adds files in directories, as libraries
// expect them. Like its Env, a Store is valid until the handler returns.
//
// Sync, Append and WriteAt return ErrDisk within the budget Faults.Disk, and otherwise nil.
// A failed write may have written the first half of its data. After a failed sync it is
// unknown which of the earlier writes are on the disk, whatever is synced later.
type Store interface {
	Get(key string) (value string, is bool)
	Put(key, value string)
	Delete(key string)
	Keys() []string
	Sync() error
	// File returns the file with this name. It is empty until it is written.
	File(name string) File
	// Files returns the names of the files that are not empty, in order.
	Files() []string
}

// File is a file that can be appended to, overwritten and cut. An Append or a WriteAt
// writes one record, which a crash may tear.
type File interface {
	Append(data []byte) error
	// WriteAt writes data at an offset. A gap between the end of the file and the offset is
	// filled with zeros.
	WriteAt(data []byte, offset int) error
	Sync() error
	ReadAll() []byte
	// Truncate cuts the file to its first size bytes.
	Truncate(size int)
}

// PeerError is the signal that the TCP connection to a peer broke or was refused: by a
// reset, a crash of the peer, or a partition. Messages that were sent to the peer and not
// yet delivered are lost, and nothing says which those are. The next message opens a new
// connection. A PeerError arrives only if faults are allowed or Conn.Reset is called.
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

// Join is a request in a script with which the node comes into existence. It stands first in
// the script of the node's first life. Init runs when the node joins, and no message reaches
// the node before that.
type Join struct{}

// Leave is a request in a script with which the node leaves for good, as after a "down"
// fault. It stands last in a script. No handler runs for it.
type Leave struct{}

// Flushed is the signal that every buffer of the node's TCP connections is empty.
// Conn.NotifyFlushed asks for it.
type Flushed struct{}

// Above is the Env that a layer passes to its upper node. It is the Env below, except that
// TCP returns the layer's own Port.
type Above struct {
	Env
	Port Conn
}

// TCP returns the port of the layer, and not that of the Env below.
func (a *Above) TCP() Conn { return a.Port }

// keysFew is the capacity of the slice that Keys and Addrs make before they know the number of
// keys. They are inlined, so the compiler may put that slice on the stack of the caller.
const keysFew = 8

// Keys returns the keys of a map in order. Range over them if the order of sends must not
// depend on the map.
func Keys[M ~map[K]V, K cmp.Ordered, V any](m M) []K { return keys(m, make([]K, 0, keysFew)) }

// Addrs returns the addresses that are keys of a map, in order.
func Addrs[M ~map[Addr]V, V any](m M) []Addr { return addrs(m, make([]Addr, 0, keysFew)) }

func keys[M ~map[K]V, K cmp.Ordered, V any](m M, into []K) []K {
	all := keysOf(m, into)
	slices.Sort(all)
	return all
}

func addrs[M ~map[Addr]V, V any](m M, into []Addr) []Addr {
	all := keysOf(m, into)
	slices.SortFunc(all, Addr.Compare)
	return all
}

// keysOf returns the keys of a map in no particular order, or nil if it has none. If the keys fit
// into the array of the slice into, they are stored there. The capacity of the result is its
// length, so two appends to it never write to the same array.
func keysOf[M ~map[K]V, K comparable, V any](m M, into []K) []K {
	if len(m) == 0 {
		return nil
	}
	if len(m) > cap(into) {
		into = make([]K, 0, len(m))
	}
	for k := range m {
		into = append(into, k)
	}
	return slices.Clip(into)
}

// layer is implemented by a node that carries another one.
type layer interface {
	Node
	Upper() Node
}

// flawed is implemented by a layer with known bugs.
type flawed interface{ KnownBugs() []Bug }

// timekeeper is implemented by a node that keeps instants of type time.Time.
type timekeeper interface{ Moment() time.Time }
