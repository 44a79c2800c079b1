package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"macemc/internal/sight"
)

// System is what is checked: a value, made once. A nil field means the default
// that its comment gives.
type System struct {
	Name string // as on the command line
	Doc  string // what it is and what it promises; the first sentence is its title

	// Network says how the simulated links are built. Nil: as Network's fields
	// say.
	Network func(Params) Network

	// Clock says what the nodes' clocks keep to. Nil, or none: timers are free, so
	// that every one that is scheduled may fire at any step.
	Clock func(Params) *Clock

	// Nodes says how many nodes it runs with. Nil: 3, from 1 to 8.
	Nodes  func(Params) Range
	Params []*Param
	Bugs   []Bug

	// Tolerates is what the system promises to survive: the default budgets
	// of the exhaustive phase.
	Tolerates Faults

	// New makes the node at self.
	New func(p Params, self Addr) Node
	// Crash is what a crash leaves of a dead node. Nil: what New makes.
	Crash func(p Params, self Addr, dead Node) Node
	// Clone makes a node of the same state that has nothing in common with n which
	// either may write. Nil: nodes are copied by a walk, which refuses closures whose
	// variables only the compiler knows. It is for those, and may only read n.
	Clone func(p Params, self Addr, n Node) Node
	// Script is what the application asks of a node, in order, in each of its
	// lives (0 is the first). Nil: nothing. It is for openings: what reacts to
	// the protocol's progress belongs into the service.
	Script func(p Params, self Addr, life int) []Signal

	Properties []Property
	// Within bounds the space: states outside it are checked, but not
	// expanded by the exhaustive search, which calls nothing dead that can come
	// to one. Walks pass it, and so does the look for a critical step.
	Within Constraint
	// Assume says which states count for liveness: outside it, a state is
	// neither live nor dead, and what can come to one is not dead. But it is
	// no recovery: the critical step is the last that left a state from which
	// a live one could be reached.
	Assume Constraint
	// Weight multiplies the weight of an event in random walks; 0 makes it
	// rare. Nil: 1.
	Weight func(Event) float64
	// Opaque lists what is left out of the state: "pkg.Type.field",
	// "*.field", or a type "pkg.Type".
	Opaque []string
	// Immutable lists what never changes once it is made: "pkg.Type", or "pkg.Type.field"
	// for a field of functions. Copies of a node share it. A value counts by its content:
	// which of several equal ones a node holds does not matter.
	Immutable []string
}

// Range is a number's default, least and most value.
type Range struct{ Default, Least, Most int }

// Param is a parameter of a system: a number in Range, or one of Words. Make
// it a package variable and read it with Params.Int or Params.Word.
type Param struct {
	Name, Doc string
	Range     Range
	Words     []string // the first is the default
}

// BugID names a known bug. Make it a typed constant.
type BugID string

// Bug is a known bug of a system: a few lines that deviate while it is
// switched on.
type Bug struct {
	ID    BugID
	Story string // what goes wrong; the first sentence is its title
}

// Params are the values in force in one run. The zero Params are all defaults.
type Params struct {
	Nodes int // 0: the system's default

	values map[*Param]string
	bugs   []BugID
	asked  []atomic.Bool // by bugs: told which were asked for; nil: nobody is
}

// Int is the value of a number.
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

// Word is the value of a word.
func (p Params) Word(param *Param) string {
	if v, set := p.values[param]; set {
		return v
	}
	if len(param.Words) == 0 {
		panic(fmt.Sprintf("macemc: parameter %s is a number; read it with Int", param.Name))
	}
	return param.Words[0]
}

// Bug reports whether a known bug is switched on: for code without an Env.
func (p Params) Bug(id BugID) bool {
	i := slices.Index(p.bugs, id)
	if i >= 0 && p.asked != nil {
		p.asked[i].Store(true)
	}
	return i >= 0
}

// Bugs are the known bugs that are switched on.
func (p Params) Bugs() []BugID { return p.bugs }

// Noting are the same values, which note in asked, by the order of Bugs, which
// known bugs are asked for. Nil: nowhere.
func (p Params) Noting(asked []atomic.Bool) Params {
	p.asked = asked
	return p
}

// Addr is the i-th node, counted from 0.
func (p Params) Addr(i int) Addr {
	if i < 0 || i >= p.Nodes {
		panic(fmt.Sprintf("macemc: there is no node %d; the system runs with %d, counted from 0", i, p.Nodes))
	}
	return addrOf(i)
}

// Addrs are all nodes, in order.
func (p Params) Addrs() []Addr {
	all := make([]Addr, p.Nodes)
	for i := range all {
		all[i] = addrOf(i)
	}
	return all
}

// Settings are the values that differ from their defaults, as name=value, in
// the order of the system's list.
func (p Params) Settings(sys *System) []string {
	var out []string
	for _, param := range sys.Params {
		if v, set := p.values[param]; set {
			out = append(out, param.Name+"="+v)
		}
	}
	return out
}

// Configure makes Params from what a user typed: how many nodes (0: the
// default), settings name=value, and known bugs. Its errors say what would
// have been possible.
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

// Resolve fills in the number of nodes, and refuses one that cannot be.
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

// NodeRange says how many nodes the system runs with under these params.
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
