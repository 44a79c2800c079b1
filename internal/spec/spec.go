package spec

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Spec is a random service as data. A spec on which two checkers differ can be kept as text and made smaller.
type Spec struct {
	Nodes  int
	Places int // the number of places for a node, which starts at 0
	Fuel   int // how often a node may send by TCP or UDP, or post, in one life; it makes spaces finite

	TCPBuffer   int
	UDPCapacity int
	Budgets     Budgets
	Only        []Limit
	Early       *int // nil means without limit

	Layered bool   // the node is carried by a layer
	Pokes   string `json:",omitempty"` // the form of the function with which a node changes its first cell; "" means none
	Keeps   bool   // System.Crash keeps the words heard and the trail; otherwise there is no System.Crash

	Rules    []Rule
	Offers   []Offer
	Declines []Decline
	Gathers  []Gather  `json:",omitempty"`
	Waits    []Wait    `json:",omitempty"`
	Scripts  [][][]int // by node and life: the values of the openings, Joins first or Leaves last
	Slow     [][2]int  `json:",omitempty"` // slow links: a node twice means all of its links, otherwise its two ends
	Pace     *Pace     `json:",omitempty"` // nil if timers are free
	AnyOrder bool      `json:",omitempty"` // any subset of the writes that were not synced survives a crash
	Midstep  bool      `json:",omitempty"` // a node may crash within a step even if it stores nothing

	FreeTimers bool   `json:",omitempty"` // timers are free although Pace is set, as a search may choose
	Says       [2]int `json:",omitzero"`  // the system's own TCPBuffer and UDPCapacity, if a search overrides them
	Table      bool   `json:",omitempty"` // the node is a plain value, with a table of handlers

	Eventually []Pred
	Always     []Pred
	Each       []Pred `json:",omitempty"` // predicates (Every or Spent) that every node must satisfy by itself
	Step       *int   // the sum of all places must not grow by more in one step
	Monitored  bool   // a monitor counts facts
	Limit      bool   // the monitor rejects two facts 0 and one fact 1
	Within     *Pred
	Assume     *Pred
	Rare       []Rare // events of weight 0
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

// The occasions on which a node does something.
const (
	OnInit    = "init"
	OnWord    = "word"    // a message; Value is the word
	OnRing    = "ring"    // a timer
	OnChore   = "chore"   // a task
	OnDeed    = "deed"    // a guarded action
	OnOrder   = "order"   // an opening of the script
	OnError   = "error"   // Value: 0 for a reset, 1 for a refusal
	OnClear   = "clear"   //
	OnFlushed = "flushed" //
)

// Rule has the operations of a node on one occasion at one place. Without a rule the node does nothing.
type Rule struct {
	Node  int
	On    string
	Value int
	At    int
	Do    []Op
}

// The verbs. A node at its last place moves on to place 0.
const (
	Send      = "send"      // X to To by Link, for a unit of fuel but by set; refused: to the next place
	After     = "after"     // arm the timer X, for 2 seconds and 2 more for each of To
	Cancel    = "cancel"    // it
	Scheduled = "scheduled" // if it is: to the next place
	Post      = "post"      // the task X, for a unit of fuel
	Choose    = "choose"    // go on by one of X places
	Weigh     = "weigh"     // go on by one of several places, one for each weight
	Emit      = "emit"      // the fact X
	Reset     = "reset"     // the connection with To
	Ask       = "ask"       // request ClearToSend from To
	Flush     = "flush"     // request Flushed
	Go        = "go"        // to the place X
	Say       = "say"       // a line for the trace
	Trail     = "trail"     // note X; the last two are remembered
	Poke      = "poke"      // add one to the first cell, modulo 2
	Join      = "join"      // let the second cell be the first
	Part      = "part"      // let it be another one, of equal content
	Fail      = "fail"      // panic with Broken
	Put       = "put"       // X+1 letters under the key To, for a unit of fuel
	Delete    = "delete"    // the key To, likewise
	Append    = "append"    // X+1 letters to the file, likewise; where it fails: to the next place
	Truncate  = "truncate"  // the file to X bytes, if it is longer, likewise
	SyncKeys  = "synckeys"  // where it fails: to the next place
	SyncFile  = "syncfile"  // likewise
	Recall    = "recall"    // go on by the number of letters in all
	List      = "list"      // go on by the number of keys
	Read      = "read"      // the clock: the time X is To seconds after that
	Forget    = "forget"    // the time X
	Before    = "before"    // if the time X is before the time To: to the next place; 2 is now. Weights: of no, and of yes
	Count     = "count"     // the mark X is a monotone reading
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

// Offer is a guarded action that a node offers at a place.
type Offer struct{ Node, At, Deed int }

// Decline is a message that a node does not accept at a place.
type Decline struct{ Node, At, From, Word int }

// Gather is a guarded action that a node offers at a place while the word is in its
// set.
type Gather struct{ Node, At, Word, Deed int }

// Wait is a request of the script that has to wait while the node is at a place.
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

// The predicates about a state. They see the nodes that are up.
const (
	Every    = "every"    // is at P
	Some     = "some"     // is at P
	Spent    = "spent"    // no node has fuel
	Quiet    = "quiet"    // nothing is under way
	Flying   = "flying"   // at least P messages are under way
	NoTimers = "notimers" // none is scheduled
	Armed    = "armed"    // node 0 is up and has the timer P
	AllUp    = "allup"    // all nodes are
	Heard    = "heard"    // some node heard P last from node 0
	Trailed  = "trailed"  // some node remembers two notes, the last of which is P
	Shared   = "shared"   // every node's cells are one
	Sum      = "sum"      // of all places is at least P
	Never    = "never"    //
	UnderWay = "underway" // the word P is, by whatever link
)

// Pred is a predicate about a state, or its negation.
type Pred struct {
	Kind string
	P    int
	Not  bool
}

// Rare selects events to have weight 0, by the name of their kind and by their value. The value -1 selects
// events with any value.
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

// Paced returns the guarantee about clocks that timers follow, or nil if they are free.
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
