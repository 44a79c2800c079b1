package sim

import (
	"fmt"
	"iter"
	"reflect"

	"macemc/internal/sight"
)

// View is what a property sees of one state: the running nodes of type N, or the layers of
// type N inside them. A crashed node is missing until it has restarted; a node that is down
// for good stays missing. So a property that counts nodes compares with Len, not with
// Params.Nodes.
type View[N any] struct{ s *seen[N] }

// seen holds the nodes that a View shows. It belongs to one state. After some nodes of that state
// were replaced, look updates it.
type seen[N any] struct {
	state      *sight.State
	alone      string // the name of the Each property that sees only one node, or ""
	epoch      int
	membership int
	at         []Addr
	nodes      []N
	versions   []int   // the version of each element of nodes when it was read
	place      []int16 // the position in nodes of the node with this index, or -1
}

// seenOf returns the nodes of type N of a state. All properties that see nodes of that type
// share the result.
func seenOf[N any](state *sight.State) *seen[N] {
	t := reflect.TypeFor[N]()
	if s, ok := state.Views[t]; ok {
		return s.(*seen[N])
	}
	s := &seen[N]{state: state, membership: -1}
	if state.Views == nil {
		state.Views = map[reflect.Type]any{}
	}
	state.Views[t] = s
	return s
}

func (s *seen[N]) view() View[N] {
	if s.epoch != s.state.Epoch {
		s.look()
	}
	return View[N]{s}
}

// look updates the nodes that were replaced since the last call, or all nodes if the set of
// running nodes has changed.
func (s *seen[N]) look() {
	state := s.state
	s.epoch = state.Epoch
	if s.membership == state.Membership {
		for k, a := range s.at {
			if n := state.Nodes[a.Index()]; n.Version != s.versions[k] {
				s.versions[k] = n.Version
				s.nodes[k], _ = s.find(a.Index())
			}
		}
		return
	}
	s.membership = state.Membership
	s.at, s.nodes, s.versions, s.place = s.at[:0], s.nodes[:0], s.versions[:0], s.place[:0]
	for i, at := range state.Nodes {
		s.place = append(s.place, -1)
		if !at.Up {
			continue
		}
		if n, ok := s.find(i); ok {
			s.place[i] = int16(len(s.nodes))
			s.versions = append(s.versions, at.Version)
			s.at = append(s.at, addrOf(i))
			s.nodes = append(s.nodes, n)
		}
	}
}

// find returns the value that the view shows for node i, and whether it has type N. If the state is a
// past one, the node has changed since, so find returns the value that State.Past has for it.
func (s *seen[N]) find(i int) (n N, is bool) {
	if n, is = find[N](s.state.Nodes[i].Node); is && s.state.Past != nil {
		n = s.state.Past(i, n).(N)
	}
	return n, is
}

// only makes s show a single node: n, whose index is i. It is called only if s belongs to a
// property made by Each.
func (s *seen[N]) only(i int, n N) {
	for len(s.place) < len(s.state.Nodes) {
		s.place = append(s.place, -1)
	}
	if before := s.at[0].Index(); before >= 0 {
		s.place[before] = -1
	}
	s.at[0], s.nodes[0], s.place[i] = addrOf(i), n, 0
}

// find returns n, or the first layer in it, that is of type N. It unwraps a node as
// errors.As unwraps an error.
func find[N any](n any) (N, bool) {
	for n != nil {
		if found, ok := n.(N); ok {
			return found, !isInterface[N]() || !hidden(n)
		}
		l, ok := n.(layer)
		if !ok {
			break
		}
		n = sight.Subject(l.Upper())
	}
	var none N
	return none, false
}

// hidden reports whether properties do not see the node n.
func hidden(n any) bool {
	_, is := n.(sight.Hidden)
	return is
}

func isInterface[N any]() bool {
	var none N
	return any(none) == nil
}

// Nodes yields the running nodes of type N, in order.
func (v View[N]) Nodes() iter.Seq2[Addr, N] {
	return func(yield func(Addr, N) bool) {
		for i, n := range v.s.nodes {
			if !yield(v.s.at[i], n) {
				return
			}
		}
	}
}

// Len returns the number of running nodes of type N.
func (v View[N]) Len() int { return len(v.s.nodes) }

// At returns the node at a, if it is running and of type N. The first node is
// v.At(v.Params().Addr(0)).
func (v View[N]) At(a Addr) (N, bool) {
	if i := a.Index(); i >= 0 && i < len(v.s.place) && v.s.place[i] >= 0 {
		return v.s.nodes[v.s.place[i]], true
	}
	var none N
	return none, false
}

// Params returns the parameters in force.
func (v View[N]) Params() Params { return v.s.state.Params.(Params) }

// Scheduled reports whether a timer is scheduled at a.
func (v View[N]) Scheduled(a Addr, timer Signal) bool {
	i := a.Index()
	if i < 0 || i >= len(v.s.state.Nodes) || v.s.alone != "" && v.s.place[i] < 0 {
		return false
	}
	for _, t := range v.s.state.Nodes[i].Timers {
		if t.Signal == timer {
			return true
		}
	}
	return false
}

// Timers returns the number of timers that are scheduled on all nodes.
func (v View[N]) Timers() int { return v.whole().Runtime.Timers() }

// InFlight returns the number of messages under way on TCP and UDP, and in bags.
func (v View[N]) InFlight() int { return v.whole().Runtime.InFlight() }

// whole returns the state, with timers and messages of all nodes. It panics in a property
// made by Each, which sees one node only.
func (v View[N]) whole() *sight.State {
	if v.s.alone != "" {
		panic(fmt.Sprintf("macemc: property %q was made by Each, which sees one node and no more: make it by Always", v.s.alone))
	}
	return v.s.state
}

// UnderWay yields the messages of type M that are under way, ordered by link, receiver and
// sender, and then by the order of the link. A bag yields a message as often as it contains
// it; a set yields everything that was ever put there. Use any for messages of all types. A
// property that calls UnderWay is evaluated in every state. Other properties are evaluated only
// once for all states in which the nodes are equal.
func UnderWay[M, N any](v View[N]) iter.Seq[Sent[M]] {
	return func(yield func(Sent[M]) bool) {
		for s := range v.whole().Runtime.UnderWay {
			if m, ok := s.Message.(M); ok && !yield(Sent[M]{addrOf(s.From), addrOf(s.To), Link(s.Link), m}) {
				return
			}
		}
	}
}

// See returns a view of the same state that selects nodes, or layers of nodes, of type M.
func See[M, N any](v View[N]) View[M] { return seenOf[M](v.whole()).view() }

// Property is a requirement on a system. Make one with Always, Each, Eventually, Cools,
// Steps, Monitor or Sometimes.
type Property struct {
	Name string

	rule sight.Rule
	file string
	draw func([]Emitted) ([]byte, error)
}

// Kind returns always, eventually, cools, steps, monitor or sometimes.
func (p Property) Kind() string { return p.rule.Kind.String() }

// Liveness reports whether the property was made by Eventually.
func (p Property) Liveness() bool { return p.rule.Kind == sight.RuleEventually }

// Cools reports whether the property was made by Cools.
func (p Property) Cools() bool { return p.rule.Kind == sight.RuleCools }

// Promises reports whether a violation is a finding. That is true of all properties but
// those made by Sometimes.
func (p Property) Promises() bool { return p.rule.Kind != sight.RuleSometimes }

// Always returns a safety property: holds must be true in every state. If explain is given,
// it describes a state in which holds is false, for the report.
func Always[N any](name string, holds func(View[N]) bool, explain ...func(View[N]) string) Property {
	return stateProperty(sight.RuleAlways, name, holds, explain)
}

// Each returns a safety property of every node by itself. holds gets a View with one
// running node and its timers, and must be true for each of them. It is evaluated again
// only for nodes that a step changed, so its cost does not grow with the number of nodes.
func Each[N any](name string, holds func(View[N]) bool, explain ...func(View[N]) string) Property {
	p := propertyAbout[N](sight.RuleAlways, name)
	p.rule.Alone = true
	p.rule.State = func(state *sight.State) sight.Check {
		one := &seen[N]{state: state, alone: name, at: make([]Addr, 1), nodes: make([]N, 1)}
		each := func(i int) bool {
			n, is := find[N](state.Nodes[i].Node)
			if !is || !state.Nodes[i].Up {
				return true
			}
			one.only(i, n)
			return holds(View[N]{one})
		}
		first := func() int { // the first node for which it is false, or the number of nodes
			for i := range state.Nodes {
				if !each(i) {
					return i
				}
			}
			return len(state.Nodes)
		}
		c := sight.Check{
			Name: name, Each: each,
			Holds: func() bool { return first() == len(state.Nodes) },
			Seen:  func() int { return seenOf[N](state).view().Len() },
		}
		if len(explain) > 0 {
			c.Explain = func() string {
				if first() == len(state.Nodes) {
					return ""
				}
				return explain[0](View[N]{one})
			}
		}
		return c
	}
	return p
}

// Takes declares that a property made by Always or Eventually depends only on the addresses of the
// running nodes of type N and on what take returns for each. A reduced search needs this. It takes
// some steps in only one of their possible orders, and that is right only for steps that do not
// change what the properties depend on. take returns a plain value, such as a field or a struct of
// fields, and should be cheap. A property that sees nodes of several types has a Takes for each
// type. A reduced search checks the declaration: it evaluates some states with other nodes for
// which take returns the same, and reports a property whose value changes.
//
//	sim.Takes(sim.Always("at most one leads", func(v sim.View[*member]) bool { ... }),
//		func(m *member) any { return m.leads })
func Takes[N any](p Property, take func(N) any) Property {
	others := p.rule.Take
	p.rule.Take = func(node any) (any, bool) {
		if n, is := find[N](node); is {
			return take(n), true
		}
		if others != nil {
			return others(node)
		}
		return nil, false
	}
	return p
}

// Eventually returns a liveness property: from every state, a state must be reachable in
// which all Eventually properties of the system hold together.
func Eventually[N any](name string, holds func(View[N]) bool, explain ...func(View[N]) string) Property {
	return stateProperty(sight.RuleEventually, name, holds, explain)
}

// Sometimes declares a scenario that a useful search reaches, such as a full buffer or two
// candidates at once. It is never a finding. The report lists scenarios that the search did
// not reach under "never exercised". far returns the distance of a state from the scenario,
// in any unit; the report then says how close the search came.
func Sometimes[N any](name string, holds func(View[N]) bool, far ...func(View[N]) int) Property {
	p := stateProperty(sight.RuleSometimes, name, holds, nil)
	if len(far) > 0 {
		of := p.rule.State
		p.rule.State = func(state *sight.State) sight.Check {
			c, s := of(state), seenOf[N](state)
			c.Far = func() int { return far[0](s.view()) }
			return c
		}
	}
	return p
}

func stateProperty[N any](kind sight.RuleKind, name string, holds func(View[N]) bool, explain []func(View[N]) string) Property {
	p := propertyAbout[N](kind, name)
	p.rule.State = func(state *sight.State) sight.Check {
		s := seenOf[N](state)
		c := sight.Check{Name: name, Holds: func() bool { return holds(s.view()) }, Seen: func() int { return s.view().Len() }}
		if len(explain) > 0 {
			c.Explain = func() string { return explain[0](s.view()) }
		}
		return c
	}
	return p
}

// Steps returns a safety property of transitions: holds must be true for the states before
// and after every step, including steps to known states.
func Steps[N any](name string, holds func(before, after View[N]) bool, explain ...func(before, after View[N]) string) Property {
	p := propertyAbout[N](sight.RuleSteps, name)
	p.rule.Step = func(before, after *sight.State) sight.Check {
		b, a := seenOf[N](before), seenOf[N](after)
		c := sight.Check{
			Name: name, Holds: func() bool { return holds(b.view(), a.view()) },
			Seen: func() int { return b.view().Len() },
		}
		if len(explain) > 0 {
			c.Explain = func() string { return explain[0](b.view(), a.view()) }
		}
		return c
	}
	return p
}

func propertyAbout[N any](kind sight.RuleKind, name string) Property {
	return Property{Name: name, rule: sight.Rule{
		Kind: kind, About: reflect.TypeFor[N](),
		Matches: func(n any) bool { _, ok := find[N](sight.Subject(n)); return ok },
	}}
}

// Monitor returns a safety property of a run. observe gets every fact that a node emits,
// and keeps in m what it needs to remember. It returns an error if the property is
// violated. The memory is part of the state, so it must not point into a fact that may
// change. If *M has a method Init() or Init(Params), it is called at the start of every run.
func Monitor[M any](name string, observe func(m *M, at Addr, fact any) error) Property {
	return Property{Name: name, rule: sight.Rule{Kind: sight.RuleMonitor, Monitor: func(params any) sight.Monitor {
		return monitorOf(name, new(M), params, observe)
	}}}
}

func monitorOf[M any](name string, m *M, params any, observe func(m *M, at Addr, fact any) error) sight.Monitor {
	return sight.Monitor{
		Name: name,
		Reset: func() {
			*m = *new(M)
			switch i := any(m).(type) {
			case interface{ Init() }:
				i.Init()
			case interface{ Init(Params) }:
				i.Init(params.(Params))
			}
		},
		Observe: func(at int, fact any) error { return observe(m, addrOf(at), fact) },
		Memory:  func() any { return m },
		Restore: func(memory any) { *m = *memory.(*M) },
	}
}

// Cools returns a liveness property of runs that go on for ever. Its monitor observes facts as that
// of Monitor does, and is hot or cold, depending on what it remembers. A run violates the property
// if it is fair and, from some point on, hot for ever. This asks for more than Eventually does: not
// only that a good state can still be reached, but that every fair run reaches one. If explain is
// given, it describes what a hot monitor waits for, for the report.
//
// A run is fair if everything that stays possible for ever after the environment has healed
// happens: the head of a channel is taken, a task runs, a timer fires, a crashed node restarts. If
// a choice that System.Fair names is asked again and again, each of its answers is given again and
// again. Faults, rare events, requests of the script and actions need not happen.
func Cools[M any](name string, observe func(m *M, at Addr, fact any), hot func(m *M) bool, explain ...func(m *M) string) Property {
	return Property{Name: name, rule: sight.Rule{Kind: sight.RuleCools, Monitor: func(params any) sight.Monitor {
		m := new(M)
		of := monitorOf(name, m, params, func(m *M, at Addr, fact any) error {
			observe(m, at, fact)
			return nil
		})
		of.Hot = func() bool { return hot(m) }
		if len(explain) > 0 {
			of.Explain = func() string { return explain[0](m) }
		}
		return of
	}}}
}

// Emitted is a fact that a node emitted, with the address of the node and the number of the
// step.
type Emitted struct {
	At   Addr
	Step int
	Fact any
}

// Pictured returns the property with a function that draws the facts of a violating run.
// The picture is saved as file in the folder of the finding. draw returns nil if there is
// nothing to show.
func (p Property) Pictured(file string, draw func(facts []Emitted) ([]byte, error)) Property {
	p.file, p.draw = file, draw
	return p
}

// Picture draws the facts of a run and returns the picture with the name of its file. The name
// is empty if there is no picture.
func (p Property) Picture(facts []Emitted) (file string, picture []byte, err error) {
	if p.draw == nil {
		return "", nil, nil
	}
	picture, err = p.draw(facts)
	if picture == nil {
		return "", nil, err
	}
	return p.file, picture, err
}

// Constraint is a named set of states, made by While.
type Constraint struct {
	Name string

	rule sight.Rule
}

// While returns the set of states in which holds is true.
func While[N any](name string, holds func(View[N]) bool) Constraint {
	p := stateProperty(sight.RuleAlways, name, holds, nil)
	return Constraint{name, p.rule}
}

// IsZero reports whether c is the zero Constraint, which holds in every state.
func (c Constraint) IsZero() bool { return c.rule.State == nil }
