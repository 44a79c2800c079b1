package sim

import (
	"fmt"
	"iter"
	"reflect"
)

// View is what a property sees: the nodes of one type that are up, or the
// layers of that type inside them, at one state. A node that crashed is seen
// again when it has restarted; one that is down for good never is. So a
// property that counts compares with Len, not with the number of nodes.
type View[N any] struct{ s *sight[N] }

// sight is a view bound to one world; it is found anew when nodes are.
type sight[N any] struct {
	w          *World
	epoch      int
	membership int
	at         []Addr
	nodes      []N
	versions   [nodesMost]int
	place      [nodesMost]int8 // place in nodes of the node with this index, or -1
}

// sightOf is the one sight of a type in a world: all properties share it.
func sightOf[N any](w *World) *sight[N] {
	t := reflect.TypeFor[N]()
	if s, ok := w.sights[t]; ok {
		return s.(*sight[N])
	}
	s := &sight[N]{w: w, membership: -1}
	w.sights[t] = s
	return s
}

func (s *sight[N]) view() View[N] {
	if s.epoch != s.w.epoch {
		s.look()
	}
	return View[N]{s}
}

// look finds the nodes that were replaced, or all, where others are up.
func (s *sight[N]) look() {
	s.epoch = s.w.epoch
	if s.membership == s.w.membership {
		for k, a := range s.at {
			if ns := &s.w.nodes[a.index()]; ns.version != s.versions[k] {
				s.versions[k] = ns.version
				s.nodes[k], _ = find[N](ns.node)
			}
		}
		return
	}
	s.membership = s.w.membership
	s.at, s.nodes = s.at[:0], s.nodes[:0]
	for i := range s.w.nodes {
		s.place[i] = -1
		ns := &s.w.nodes[i]
		if ns.life != lifeUp {
			continue
		}
		if n, ok := find[N](ns.node); ok {
			s.place[i] = int8(len(s.nodes))
			s.versions[len(s.nodes)] = ns.version
			s.at = append(s.at, addrOf(i))
			s.nodes = append(s.nodes, n)
		}
	}
}

// find looks for an N in a node and through its layers, as errors.As does.
func find[N any](n Node) (N, bool) {
	for n != nil {
		if found, ok := n.(N); ok {
			return found, true
		}
		l, ok := n.(Layer)
		if !ok {
			break
		}
		n = l.Upper()
	}
	var none N
	return none, false
}

// Nodes are the nodes of type N that are up, in order.
func (v View[N]) Nodes() iter.Seq2[Addr, N] {
	return func(yield func(Addr, N) bool) {
		for i, n := range v.s.nodes {
			if !yield(v.s.at[i], n) {
				return
			}
		}
	}
}

// Len is the number of nodes of type N that are up.
func (v View[N]) Len() int { return len(v.s.nodes) }

// At is the node at a, if it is up and is an N.
func (v View[N]) At(a Addr) (N, bool) {
	if i := a.index(); i >= 0 && i < nodesMost && v.s.place[i] >= 0 {
		return v.s.nodes[v.s.place[i]], true
	}
	var none N
	return none, false
}

// Scheduled reports whether a timer is scheduled at a.
func (v View[N]) Scheduled(a Addr, timer Signal) bool {
	i := a.index()
	if i < 0 || i >= v.s.w.n {
		return false
	}
	for _, t := range v.s.w.nodes[i].timers {
		if t.signal == timer {
			return true
		}
	}
	return false
}

// Timers is the number of timers scheduled on all nodes.
func (v View[N]) Timers() int { return v.s.w.timers }

// InFlight is the number of messages under way on TCP and UDP.
func (v View[N]) InFlight() int {
	v.s.w.counted = true
	return v.s.w.tcp.Len() + v.s.w.udp.Len()
}

// Property is something that must hold. Make one with Always, Eventually,
// Steps or Monitor.
type Property struct {
	Name string

	kind    propertyKind
	about   reflect.Type // the N of its view; nil for a monitor
	matches func(Node) bool
	state   func(*World) stateCheck
	step    func(before, after *World) stateCheck
	monitor func() monitor
}

type propertyKind uint8

const (
	propertyAlways propertyKind = iota + 1
	propertyEventually
	propertySteps
	propertyMonitor
)

var propertyKindNames = [...]string{
	propertyAlways: "always", propertyEventually: "eventually",
	propertySteps: "steps", propertyMonitor: "monitor",
}

// Kind is always, eventually, steps or monitor.
func (p Property) Kind() string { return propertyKindNames[p.kind] }

// Liveness reports whether the property is to hold eventually.
func (p Property) Liveness() bool { return p.kind == propertyEventually }

// stateCheck is a property bound to a world.
type stateCheck struct {
	name    string
	holds   func() bool
	explain func() string // nil: nothing to say
}

// explained is what the property says of the state.
func (c *stateCheck) explained() (text string) {
	if c.explain == nil {
		return ""
	}
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("(its explanation panics: %s)", panicText(r))
		}
	}()
	return c.explain()
}

// asked is holds, outside a run: a panic is no answer.
func (c *stateCheck) asked() (holds bool, panicked string) {
	defer func() {
		if r := recover(); r != nil {
			holds, panicked = false, fmt.Sprintf("(it panics: %s)", panicText(r))
		}
	}()
	return c.holds(), ""
}

// monitor is a Monitor's memory in one world.
type monitor struct {
	name    string
	reset   func()
	observe func(at Addr, fact any) error
	memory  func() any
	restore func(memory any) // takes the memory over
}

// Always is a safety property: it holds in every state. explain, if given, is
// asked once, for the report of a state in which it does not.
func Always[N any](name string, holds func(View[N]) bool, explain ...func(View[N]) string) Property {
	return stateProperty(propertyAlways, name, holds, explain)
}

// Eventually is a liveness property: from every state, a state can be reached
// in which all of the system's Eventually properties hold together.
func Eventually[N any](name string, holds func(View[N]) bool, explain ...func(View[N]) string) Property {
	return stateProperty(propertyEventually, name, holds, explain)
}

func stateProperty[N any](kind propertyKind, name string, holds func(View[N]) bool, explain []func(View[N]) string) Property {
	p := propertyAbout[N](kind, name)
	p.state = func(w *World) stateCheck {
		s := sightOf[N](w)
		c := stateCheck{name: name, holds: func() bool { return holds(s.view()) }}
		if len(explain) > 0 {
			c.explain = func() string { return explain[0](s.view()) }
		}
		return c
	}
	return p
}

// Steps is a safety property of transitions: it holds between the states
// before and after every step, steps to known states included.
func Steps[N any](name string, holds func(before, after View[N]) bool, explain ...func(before, after View[N]) string) Property {
	p := propertyAbout[N](propertySteps, name)
	p.step = func(before, after *World) stateCheck {
		b, a := sightOf[N](before), sightOf[N](after)
		c := stateCheck{name: name, holds: func() bool { return holds(b.view(), a.view()) }}
		if len(explain) > 0 {
			c.explain = func() string { return explain[0](b.view(), a.view()) }
		}
		return c
	}
	return p
}

func propertyAbout[N any](kind propertyKind, name string) Property {
	return Property{
		Name: name, kind: kind, about: reflect.TypeFor[N](),
		matches: func(n Node) bool { _, ok := find[N](n); return ok },
	}
}

// Monitor is a safety property of a run: observe is told every fact that a
// node emits, and remembers what it needs in m. The memory is part of the
// state, and keeps copies, not pointers into a fact that may change. *M may have
// a method Init(), called at the start of every run.
func Monitor[M any](name string, observe func(m *M, at Addr, fact any) error) Property {
	return Property{Name: name, kind: propertyMonitor, monitor: func() monitor {
		m := new(M)
		return monitor{
			name: name,
			reset: func() {
				*m = *new(M)
				if i, ok := any(m).(interface{ Init() }); ok {
					i.Init()
				}
			},
			observe: func(at Addr, fact any) error { return observe(m, at, fact) },
			memory:  func() any { return m },
			restore: func(memory any) { *m = *memory.(*M) },
		}
	}}
}

// Constraint is a named set of states. Make one with While.
type Constraint struct {
	Name string

	about   reflect.Type
	matches func(Node) bool
	state   func(*World) stateCheck
}

// While is the set of states in which holds does.
func While[N any](name string, holds func(View[N]) bool) Constraint {
	p := stateProperty(propertyAlways, name, holds, nil)
	return Constraint{Name: name, about: p.about, matches: p.matches, state: p.state}
}

// IsZero reports whether there is no constraint.
func (c Constraint) IsZero() bool { return c.state == nil }
