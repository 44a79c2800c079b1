package sim

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"macemc/internal/sight"
	"macemc/program"
)

// System is a service to be checked: a value, made once. Fields that are nil have the
// defaults given in their comments.
type System struct {
	Name string // the name on the command line
	Doc  string // what the service is and what it promises; the first sentence is its title

	// Network returns how the simulated links are built. If it is nil, they have the
	// defaults of type Network.
	Network func(Params) Network

	// Clock returns how exact the nodes' clocks are. If it is nil or returns nil, a
	// scheduled timer may fire at any step.
	Clock func(Params) *Clock

	// Nodes returns how many nodes the system may have. If it is nil: 3 by default, from 1
	// to 8.
	Nodes  func(Params) Range
	Params []*Param
	Bugs   []Bug

	// Tolerates are the faults that the system promises to survive, and the default budgets
	// of the exhaustive phase.
	Tolerates Faults

	// New returns the node at self.
	New func(p Params, self Addr) Node
	// Crash returns what a crash leaves of a dead node. If it is nil, that is a new node
	// from New.
	Crash func(p Params, self Addr, dead Node) Node
	// Clone returns a deep copy of n. The copy and n must share no memory that either may
	// modify, and Clone must not modify n. If it is nil, nodes are copied by walking their
	// fields. That fails for closures, whose variables only the compiler knows; Clone is
	// for nodes with closures.
	Clone func(p Params, self Addr, n Node) Node
	// Script returns the requests that the application makes of a node, in order, in each
	// of its lives, counted from 0. If it is nil, there are none. A reaction to the
	// protocol's progress belongs into the service, not into the script.
	Script func(p Params, self Addr, life int) []Signal

	// Programs says which nodes are programs with goroutines. If it is nil, none is.
	Programs *Programs

	// Interchangeable returns sets of nodes that differ only in their names: if two nodes of a set
	// swap their addresses wherever a state has them, everything that could happen still can, with
	// the addresses swapped. If states differ only in this way, the exhaustive phase visits only one
	// of them. It checks the declaration with some of the states; docs/searching.md says what such
	// a node must not do. If Interchangeable is nil, every state is visited.
	Interchangeable func(p Params) [][]Addr

	// Byzantine returns the nodes that do not keep to the protocol, with what they do instead. If
	// it is nil, all nodes keep to it, unless a search names some that do not.
	Byzantine func(p Params) []Byzantine
	// Forge passes to lie each message that the Byzantine node at self can make up. It gets the
	// messages that the node has received, with their senders, and those that it sent itself. Forge
	// must be a pure function of its arguments. If it is nil, the node sends messages again that it
	// has seen, to any node, by the links by which it has sent before.
	Forge func(p Params, self Addr, seen iter.Seq2[Addr, Message], lie func(to Addr, by Link, m Message))

	Properties []Property
	// Within bounds the space. States outside of it are checked, but the exhaustive search does not
	// expand them, and calls no state dead from which one of them can be reached. Walks and the
	// search for a critical step ignore Within.
	Within Constraint
	// Assume restricts liveness to some states. A state outside of it is neither live nor
	// dead, and a state from which such a state can be reached is not called dead. But
	// reaching it is not a recovery: the critical step is the last one before which a live
	// state could be reached.
	Assume Constraint
	// Weight multiplies the weight of an event in random walks; 0 makes the event rare. If
	// it is nil, the factor is 1.
	Weight func(Event) float64
	// Fair names choices of handlers, by their purpose, that are strongly fair: a run in which
	// such a choice is asked for ever, and some answer is never given, does not violate a
	// property made by Cools.
	Fair []string
	// Opaque lists what is not part of the state: "pkg.Type.field", "*.field", or a type
	// "pkg.Type".
	Opaque []string
	// Immutable lists values that never change once they are made: "pkg.Type", or "pkg.Type.field"
	// for a field of functions, or "pkg.Type.func" for all such fields of the type. Copies of a
	// node share the value, but a method value such as n.send gets the copy of n as its receiver.
	// Values are compared by their contents, not by their addresses; functions are not compared.
	Immutable []string
	// Remade lists fields, mostly of functions, that are not part of the state and that a
	// function makes again in each copy of a node: see Remake.
	Remade []Remade
}

// Programs describes the nodes of a system that are programs with goroutines. The command macemc
// and macetest search such a system, in runs whose goroutines are all in one bubble. Its other
// nodes are handlers, as New makes them.
//
// Properties see the value that a program passes to Host.Show, by its type, as they see nodes.
// Always, Each, Eventually and Monitor are evaluated whenever something has happened and all
// goroutines are blocked. Eventually means that all of these properties hold together at some time
// after the faults are over, and within Calm. The requests of Script reach a program by Host.Mail.
// Nothing is proved, since states of goroutines cannot be compared.
type Programs struct {
	// New returns the program of the node at self, whose host has the name of the address. If it
	// returns nil, System.New makes the node. System.New may be nil if all nodes are programs.
	New func(p Params, self Addr) program.Program
	// Storm is how long faults may happen; requests come during it, too. 0 means ten seconds.
	Storm time.Duration
	// Calm is the time within which the system must be live after that. 0 means a minute.
	Calm time.Duration

	// Clocks is how often the clock of a node may misbehave in a run with faults: its wall clock
	// jumps by at most Skew (0 means ten seconds), or all its clocks are fast or slow from then on
	// by at most Drift millionths (0 means 10,000).
	Clocks int
	Skew   time.Duration
	Drift  int
}

// Range is the default, the smallest and the largest value of a number.
type Range struct{ Default, Least, Most int }

// Param is a parameter of a system: a number in Range, or one of Words. Make it a package
// variable, and read it with Params.Int or Params.Word.
type Param struct {
	Name, Doc string
	Range     Range
	Words     []string // the first is the default
	// Runs is one of Words, other than the first, or "". If it is set, the parameter binds a part
	// of the system. Searches use the abstraction that the first word stands for; package live runs
	// the implementation that Runs stands for, unless the user sets another word.
	Runs string
}

// BugID names a known bug. Make it a typed constant.
type BugID string

// Bug is a known bug of a system: a few lines that run only while the bug is switched on.
type Bug struct {
	ID    BugID
	Story string // what goes wrong; the first sentence is its title
}

// Params are the values in force in one run. The zero Params are the defaults.
type Params struct {
	Nodes int // 0 means the system's default

	values map[*Param]string
	bugs   []BugID
	asked  []atomic.Bool // whether the service asked for a known bug, by index of bugs; nil if that is not recorded
}

// Int returns the value of a parameter that is a number.
func (p Params) Int(param *Param) int {
	if v, set := p.values[param]; set {
		n, err := strconv.Atoi(v)
		if err != nil {
			panic(fmt.Sprintf("macemc: parameter %s has the words %v; read it with Word", param.Name, param.Words))
		}
		return n
	}
	return param.Range.Default
}

// Word returns the value of a parameter that is one of several words.
func (p Params) Word(param *Param) string {
	if v, set := p.values[param]; set {
		return v
	}
	if len(param.Words) == 0 {
		panic(fmt.Sprintf("macemc: parameter %s is a number; read it with Int", param.Name))
	}
	return param.Words[0]
}

// Bug reports whether a known bug is switched on. It is for code that has no Env.
func (p Params) Bug(id BugID) bool {
	i := slices.Index(p.bugs, id)
	if i >= 0 && p.asked != nil {
		p.asked[i].Store(true)
	}
	return i >= 0
}

// Bugs returns the known bugs that are switched on.
func (p Params) Bugs() []BugID { return p.bugs }

// Noting returns a copy of p that records for which known bugs the service asks: when it asks for
// Bugs()[i], asked[i] is set. If asked is nil, nothing is recorded.
func (p Params) Noting(asked []atomic.Bool) Params {
	p.asked = asked
	return p
}

// Addr returns the address of the i-th node, counted from 0.
func (p Params) Addr(i int) Addr {
	if i < 0 || i >= p.Nodes {
		panic(fmt.Sprintf("macemc: there is no node %d; the system runs with %d, counted from 0", i, p.Nodes))
	}
	return addrOf(i)
}

// Addrs returns the addresses of all nodes, in order.
func (p Params) Addrs() []Addr {
	all := make([]Addr, p.Nodes)
	for i := range all {
		all[i] = addrOf(i)
	}
	return all
}

// Settings returns the values that differ from their defaults, as name=value, in the order
// of System.Params.
func (p Params) Settings(sys *System) []string {
	var out []string
	for _, param := range sys.Params {
		if v, set := p.values[param]; set {
			out = append(out, param.Name+"="+v)
		}
	}
	return out
}

// Configure returns the Params for what a user typed: the number of nodes (0 for the
// default), settings of the form name=value, and known bugs. Its errors list the possible
// values.
func (sys *System) Configure(nodes int, settings []string, bugs []string) (Params, error) {
	p := Params{Nodes: nodes}
	for _, s := range settings {
		if err := p.set(sys, s); err != nil {
			return Params{}, err
		}
	}
	for _, id := range bugs {
		if !slices.ContainsFunc(sys.Bugs, func(b Bug) bool { return string(b.ID) == id }) {
			return Params{}, fmt.Errorf("%s has no known bug %q; it has %s", sys.Name, id, orNone(sys.bugNames()))
		}
		if !p.Bug(BugID(id)) {
			p.bugs = append(p.bugs, BugID(id))
		}
	}
	return sys.Resolve(p)
}

// Running returns the settings with which package live runs a system: those given, and name=Runs
// for each parameter that has Runs and is not set among them.
func (sys *System) Running(settings []string) []string {
	all := slices.Clone(settings)
	for _, q := range sys.Params {
		named := func(s string) bool { return strings.HasPrefix(s, q.Name+"=") }
		if q.Runs != "" && !slices.ContainsFunc(settings, named) {
			all = append(all, q.Name+"="+q.Runs)
		}
	}
	return all
}

func (p *Params) set(sys *System, setting string) error {
	name, value, ok := strings.Cut(setting, "=")
	if !ok {
		return fmt.Errorf("parameter %q has no value; write name=value", setting)
	}
	i := slices.IndexFunc(sys.Params, func(q *Param) bool { return q.Name == name })
	if i < 0 {
		return fmt.Errorf("%s has no parameter %q; it has %s", sys.Name, name, orNone(sys.paramNames()))
	}
	if first, set := p.values[sys.Params[i]]; set {
		return fmt.Errorf("parameter %s is set twice, to %s and to %s; give one of them", name, first, value)
	}
	if err := sys.Params[i].check(value); err != nil {
		return err
	}
	if p.values == nil {
		p.values = map[*Param]string{}
	}
	p.values[sys.Params[i]] = value
	return nil
}

func (q *Param) check(value string) error {
	if len(q.Words) > 0 {
		if !slices.Contains(q.Words, value) {
			return fmt.Errorf("parameter %s is %q; it must be one of %s", q.Name, value, strings.Join(q.Words, ", "))
		}
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("parameter %s is %q; it must be a number from %d to %d", q.Name, value, q.Range.Least, q.Range.Most)
	}
	if n < q.Range.Least || n > q.Range.Most {
		return fmt.Errorf("parameter %s is %d; it must be from %d to %d", q.Name, n, q.Range.Least, q.Range.Most)
	}
	return nil
}

// Resolve returns p with the number of nodes filled in. It returns an error if the system
// does not run with that number.
func (sys *System) Resolve(p Params) (Params, error) {
	r := sys.NodeRange(p)
	if r.Most > sight.NodesMost || r.Least < 1 || r.Default < r.Least || r.Default > r.Most {
		return p, fmt.Errorf("%s runs with %d to %d nodes and %d by default; that must be in order and within 1 to %d",
			sys.Name, r.Least, r.Most, r.Default, sight.NodesMost)
	}
	if p.Nodes == 0 {
		p.Nodes = r.Default
	}
	if p.Nodes < r.Least || p.Nodes > r.Most {
		return p, fmt.Errorf("%s cannot run with %d nodes here; it runs with %s", sys.Name, p.Nodes, r.span())
	}
	return p, nil
}

// NodeRange returns how many nodes the system runs with under these parameters.
func (sys *System) NodeRange(p Params) Range {
	if sys.Nodes == nil {
		return Range{3, 1, 8}
	}
	return sys.Nodes(p)
}

func (r Range) span() string {
	if r.Least == r.Most {
		return strconv.Itoa(r.Least)
	}
	return fmt.Sprintf("%d to %d", r.Least, r.Most)
}

func (sys *System) bugNames() (names []string) {
	for _, b := range sys.Bugs {
		names = append(names, string(b.ID))
	}
	return names
}

func (sys *System) paramNames() (names []string) {
	for _, p := range sys.Params {
		names = append(names, p.Name)
	}
	return names
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
