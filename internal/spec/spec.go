package spec

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Spec is a random service as data. A spec on which two checkers differ can be kept as text and made smaller.
type Spec struct {
	Nodes  int
	Places int // the number of places that a node moves between; it starts at place 0
	Fuel   int // how often a node may send by TCP or UDP, or post, in one life; it makes spaces finite

	TCPBuffer   int
	UDPCapacity int
	Budgets     Budgets
	Only        []Limit
	Early       *int // how often timers may fire while messages are under way to or from their node; nil means without limit

	Layered bool   // the node is carried by a layer
	Pokes   string `json:",omitempty"` // the form of the function with which a node changes its first cell; "" means none
	Keeps   bool   // System.Crash keeps the words heard and the trail; otherwise there is no System.Crash

	Rules    []Rule
	Offers   []Offer
	Declines []Decline
	Gathers  []Gather  `json:",omitempty"`
	Waits    []Wait    `json:",omitempty"`
	Scripts  [][][]int // by node and life: the numbers of the requests, with Joins first or Leaves last
	Slow     [][2]int  `json:",omitempty"` // slow links, each as its two ends; a node twice means all links of the node
	Pace     *Pace     `json:",omitempty"` // how exact clocks are; nil if timers may fire at any time
	AnyOrder bool      `json:",omitempty"` // any subset of the writes that were not synced survives a crash
	Midstep  bool      `json:",omitempty"` // a node may crash within a step even if it stores nothing

	FreeTimers bool   `json:",omitempty"` // timers may fire at any time although Pace is set, by an option of the search
	Says       [2]int `json:",omitzero"`  // the system's own TCPBuffer and UDPCapacity, if a search overrides them
	Table      bool   `json:",omitempty"` // the node is a plain value, with a table of handlers

	Eventually []Pred
	Always     []Pred
	Each       []Pred `json:",omitempty"` // predicates (Every or Spent) that every node must satisfy by itself
	Step       *int   // the largest growth, in one step, of the sum of the places of all nodes; nil means no such property
	Monitored  bool   // a monitor counts facts
	Limit      bool   // the monitor rejects two facts 0 and one fact 1
	Within     *Pred
	Assume     *Pred
	Rare       []Rare // events that have weight 0
}

// The forms of the function with which a node changes its first cell.
const (
	ByMethod  = "method"  // a method value, which copies of the node have for their own cell
	ByClosure = "closure" // a closure over the cell, so that the system has to make copies
)

// Budgets are the numbers of faults of each kind that may happen; -1 means without limit.
type Budgets struct {
	Crash, Down, Reset, Loss, Dup, Reorder, Partition, OneWay, Rare, Pause int

	Disk int `json:",omitempty"`
	Wipe int `json:",omitempty"`
}

// All returns the budgets in the order of contract.FaultNames.
func (b *Budgets) All() []*int {
	return []*int{&b.Crash, &b.Down, &b.Reset, &b.Loss, &b.Dup, &b.Reorder, &b.Partition, &b.OneWay, &b.Rare, &b.Pause, &b.Disk, &b.Wipe}
}

// Limit limits a fault to some nodes, or to some links.
type Limit struct {
	Fault  string   // the name of the fault in --faults
	Places [][2]int // a node twice for a node, or the two ends of a link
}

// The occasions on which a node does something. Value is the number of the message, timer
// or the like.
const (
	OnInit    = "init"
	OnWord    = "word"    // a message is delivered
	OnRing    = "ring"    // a timer fires
	OnChore   = "chore"   // a task runs
	OnDeed    = "deed"    // a guarded action is taken
	OnOrder   = "order"   // a request of the script comes
	OnError   = "error"   // a connection broke: Value is 0 for a reset, 1 for a refusal
	OnClear   = "clear"   //
	OnFlushed = "flushed" //
)

// Rule has the operations that a node performs on one occasion, at one place. A node
// without a rule for an occasion does nothing.
type Rule struct {
	Node  int
	On    string
	Value int
	At    int
	Do    []Op
}

// The verbs of operations. X, To and Link are fields of Op. "To the next place" means that
// the node moves there and goes on with its rule; the place after the last one is place 0.
const (
	Send      = "send"      // the message X to the node To by Link, which costs a unit of fuel except by set; if it is refused: to the next place
	After     = "after"     // arm the timer X, for 2 seconds and 2 more for each of To
	Cancel    = "cancel"    // cancel the timer X
	Scheduled = "scheduled" // if the timer X is scheduled: to the next place
	Post      = "post"      // post the task X, for a unit of fuel
	Choose    = "choose"    // toss a coin of X sides, and go on by that number of places
	Weigh     = "weigh"     // toss a coin with these weights, and go on by that number of places
	Emit      = "emit"      // emit the fact X
	Reset     = "reset"     // reset the connection with the node To
	Ask       = "ask"       // request ClearToSend for the node To
	Flush     = "flush"     // request Flushed
	Go        = "go"        // go to the place X
	Say       = "say"       // write a line for the trace
	Trail     = "trail"     // remember X; only the last two are remembered
	Poke      = "poke"      // add one to the first cell, modulo 2
	Join      = "join"      // make the second cell the same variable as the first
	Part      = "part"      // make it another variable with an equal value
	Fail      = "fail"      // panic with Broken
	Put       = "put"       // write X+1 letters under the key To, for a unit of fuel
	Delete    = "delete"    // delete the key To, for a unit of fuel
	Append    = "append"    // append X+1 letters to the file, for a unit of fuel; if it fails: to the next place
	Truncate  = "truncate"  // cut the file to X bytes if it is longer, for a unit of fuel
	SyncKeys  = "synckeys"  // sync the keys; if it fails: to the next place
	SyncFile  = "syncfile"  // sync the file; if it fails: to the next place
	Recall    = "recall"    // go on by the number of letters that are stored
	List      = "list"      // go on by the number of keys that are stored
	Read      = "read"      // read the clock, and let the time X be To seconds after that
	Forget    = "forget"    // forget the time X
	Before    = "before"    // if the time X is before the time To: to the next place; time 2 is now, and Weights are those of no and yes
	Count     = "count"     // let the mark X be a monotone reading
	Older     = "older"     // if the mark 0 was read before the mark 1: to the next place
)

// Broken is the value with which the verb Fail panics.
const Broken = "the machine is broken"

// Keys are the keys that nodes write to.
var Keys = [2]string{"at", "by"}

// File is the one file of each node.
const File = "log"

// Letters returns the text that the verbs Put and Append write for X: X+1 letters.
func Letters(x int) string { return "ab"[:x+1] }

// Op is one operation of a node.
type Op struct {
	Verb    string
	Link    string `json:",omitempty"`
	To, X   int    `json:",omitempty"`
	Weights []int  `json:",omitempty"`
}

// Offer is a guarded action, Deed, that a node offers while it is at place At.
type Offer struct{ Node, At, Deed int }

// Decline is a message, Word, from the node From that a node does not accept while it is at
// place At.
type Decline struct{ Node, At, From, Word int }

// Gather is a guarded action, Deed, that a node offers at a place while the message Word is
// in its set.
type Gather struct{ Node, At, Word, Deed int }

// Wait is a request of the script, Order, that a node declines while it is at a place.
type Wait struct{ Node, At, Order int }

// The requests of a script by which a node joins and leaves.
const (
	Joins  = -1
	Leaves = -2
)

// Pace is the guarantee about clocks: the largest number of seconds that a handler takes, and whether a timer
// may fire between half of its duration and twice its duration.
type Pace struct {
	Handlers int
	Drifts   bool
}

// The kinds of predicates about a state. They see the nodes that are up. P is the field of
// Pred.
const (
	Every    = "every"    // every node is at place P
	Some     = "some"     // some node is at place P
	Spent    = "spent"    // no node has fuel
	Quiet    = "quiet"    // no message is under way
	Flying   = "flying"   // at least P messages are under way
	NoTimers = "notimers" // no timer is scheduled
	Armed    = "armed"    // node 0 is up and has the timer P
	AllUp    = "allup"    // all nodes are up
	Heard    = "heard"    // the last message that some node heard from node 0 is P
	Trailed  = "trailed"  // some node remembers two notes, the last of which is P
	Shared   = "shared"   // the two cells of every node are one variable
	Sum      = "sum"      // the sum of the places of all nodes is at least P
	Never    = "never"    //
	UnderWay = "underway" // the message P is under way, on any link
)

// Pred is a predicate about a state, or its negation.
type Pred struct {
	Kind string
	P    int
	Not  bool
}

// Rare selects events to have weight 0, by the name of their kind and by the number of
// their value. The number -1 selects events with any value.
type Rare struct {
	Kind  string
	Value int
}

func (p Pred) String() string {
	if p.Not {
		return fmt.Sprintf("not %s %d", p.Kind, p.P)
	}
	return fmt.Sprintf("%s %d", p.Kind, p.P)
}

// String returns the spec as JSON on one line, as testdata/kept has it.
func (s *Spec) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("macemc bug: spec: a spec is plain data: " + err.Error())
	}
	return string(text)
}

// Parse reads the text that String returns.
func Parse(text string) (*Spec, error) {
	s := &Spec{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, fmt.Errorf("this is no spec: %w", err)
	}
	return s, nil
}

func (s *Spec) Ops(node int, on string, value, at int) []Op {
	for _, r := range s.Rules {
		if r.Node == node && r.On == on && r.Value == value && r.At == at {
			return r.Do
		}
	}
	return nil
}

// Stores reports whether some node may write to its storage or sync it.
func (s *Spec) Stores() bool { return s.Does(Put, Delete, Append, Truncate, SyncKeys, SyncFile) }

// Does reports whether a node may perform one of these verbs.
func (s *Spec) Does(verbs ...string) bool {
	for _, r := range s.Rules {
		for _, op := range r.Do {
			if slices.Contains(verbs, op.Verb) {
				return true
			}
		}
	}
	return false
}

// Paced returns how exact clocks are, or nil if timers may fire at any time.
func (s *Spec) Paced() *Pace {
	if s.FreeTimers {
		return nil
	}
	return s.Pace
}

func (s *Spec) Declined(node, at, from, word int) bool {
	return slices.Contains(s.Declines, (Decline{node, at, from, word}))
}

func (s *Spec) Waiting(node, at, order int) bool {
	return slices.Contains(s.Waits, Wait{node, at, order})
}

// IsSlow reports whether the link between two nodes is slow: its messages wait until nothing else can happen.
func (s *Spec) IsSlow(a, b int) bool {
	for _, l := range s.Slow {
		if l[0] == l[1] && (l[0] == a || l[0] == b) || l == [2]int{a, b} || l == [2]int{b, a} {
			return true
		}
	}
	return false
}

func (s *Spec) Script(node, life int) []int {
	if node < len(s.Scripts) && life < len(s.Scripts[node]) {
		return s.Scripts[node][life]
	}
	return nil
}
