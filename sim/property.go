package sim

import (
	"fmt"
	"iter"
	"reflect"

	"macemc/internal/sight"
)

// View is what a property sees: the nodes of one type that are up, or the
// layers of that type inside them, at one state. A node that crashed is seen
// again when it has restarted; one that is down for good never is. So a
// property that counts compares with Len, not with the number of nodes.
type View[N any] struct{ s *seen[N] }

// seen is a view bound to one state; it is found anew when nodes are.
type seen[N any] struct {
	state      *sight.State
	alone      string // the property of Each that sees one node; "": all are seen
	epoch      int
	membership int
	at         []Addr
	nodes      []N
	versions   [sight.NodesMost]int
	place      [sight.NodesMost]int8 // place in nodes of the node with this index, or -1
}

// seenOf is what is seen of a type in a state: all properties share it.
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

// look finds the nodes that were replaced, or all, where others are up.
func (s *seen[N]) look() {
	state := s.state
	s.epoch = state.Epoch
	if s.membership == state.Membership {
		for k, a := range s.at {
			if n := state.Nodes[a.Index()]; n.Version != s.versions[k] {
				s.versions[k] = n.Version
				s.nodes[k], _ = find[N](n.Node)
			}
		}
		return
	}
	s.membership = state.Membership
	s.at, s.nodes = s.at[:0], s.nodes[:0]
	for i, at := range state.Nodes {
		s.place[i] = -1
		if !at.Up {
			continue
		}
		if n, ok := find[N](at.Node); ok {
			s.place[i] = int8(len(s.nodes))
			s.versions[len(s.nodes)] = at.Version
			s.at = append(s.at, addrOf(i))
			s.nodes = append(s.nodes, n)
		}
	}
}

// find looks for an N in a Subject and through its layers, as errors.As does.
func find[N any](n any) (N, bool) {
	for n != nil {
		if found, ok := n.(N); ok {
			return found, true
		}
		l, ok := n.(Layer)
		if !ok {
			break
		}
		n = sight.Subject(l.Upper())
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

// At is the node at a, if it is up and is an N: v.At(v.Params().Addr(0)) is the first.
func (v View[N]) At(a Addr) (N, bool) {
	if i := a.Index(); i >= 0 && i < sight.NodesMost && v.s.place[i] >= 0 {
		return v.s.nodes[v.s.place[i]], true
	}
	var none N
	return none, false
}

// Params are those in force.
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

// Timers is the number of timers scheduled on all nodes.
func (v View[N]) Timers() int { return v.whole().Runtime.Timers() }

// InFlight is the number of messages under way on TCP and UDP, and in bags.
func (v View[N]) InFlight() int { return v.whole().Runtime.InFlight() }

// whole is the state with all that is in it.
func (v View[N]) whole() *sight.State {
	if v.s.alone != "" {
		panic(fmt.Sprintf("macemc: property %q was made by Each, which sees one node and no more: make it by Always", v.s.alone))
	}
	return v.s.state
}

// Hop says where a message goes, and by which link.
type Hop struct {
	From, To Addr
	Link     Link
}

// UnderWay are the messages of type M that are on their way, by link, receiver and
// sender, in the order of the link: one in a bag as often as it is there, and in a
// set whatever was ever put there. any stands for all messages. A property that looks
// at them is asked about every state, where others are asked once for equal nodes.
func UnderWay[M, N any](v View[N]) iter.Seq2[Hop, M] {
	return func(yield func(Hop, M) bool) {
		for s := range v.whole().Runtime.UnderWay {
			if m, ok := s.Message.(M); ok && !yield(Hop{addrOf(s.From), addrOf(s.To), Link(s.Link)}, m) {
				return
			}
		}
	}
}

// See is the same state, as one sees it who looks for nodes of another type, or for
// other layers of the same nodes.
func See[M, N any](v View[N]) View[M] { return seenOf[M](v.whole()).view() }

// Property is something that must hold. Make one with Always, Each, Eventually,
// Steps or Monitor; or with Sometimes.
type Property struct {
	Name string

	rule sight.Rule
	file string
	draw func([]Emitted) ([]byte, error)
}

// Kind is always, eventually, steps, monitor or sometimes.
func (p Property) Kind() string { return p.rule.Kind.String() }

// Liveness reports whether the property is to hold eventually.
func (p Property) Liveness() bool { return p.rule.Kind == sight.RuleEventually }

// Promises reports whether the property is to hold: all do but those of Sometimes.
func (p Property) Promises() bool { return p.rule.Kind != sight.RuleSometimes }

// Rule is the property as those see it who run a service.
func (p Property) Rule() sight.Rule { return p.rule }

// Always is a safety property: it holds in every state. explain, if given, is
// asked once, for the report of a state in which it does not.
func Always[N any](name string, holds func(View[N]) bool, explain ...func(View[N]) string) Property {
	return stateProperty(sight.RuleAlways, name, holds, explain)
}

// Each is a safety property of every node by itself: holds is asked with a View in
// which one node is up, with its timers, and holds of each. It is asked again only of a node
// that a step changed, so that it costs as much with 64 nodes as with three.
func Each[N any](name string, holds func(View[N]) bool, explain ...func(View[N]) string) Property {
	p := propertyAbout[N](sight.RuleAlways, name)
	p.rule.State = func(state *sight.State) sight.Check {
		one := &seen[N]{state: state, alone: name, at: make([]Addr, 1), nodes: make([]N, 1)}
		for i := range one.place {
			one.place[i] = -1
		}
		before := 0 // the node that was seen last
		each := func(i int) bool {
			n, is := find[N](state.Nodes[i].Node)
			if !is || !state.Nodes[i].Up {
				return true
			}
			one.place[before] = -1
			one.at[0], one.nodes[0], one.place[i], before = addrOf(i), n, 0, i
			return holds(View[N]{one})
		}
		first := func() int { // the first node of which it does not hold; all: there is none
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

// Eventually is a liveness property: from every state, a state can be reached
// in which all of the system's Eventually properties hold together.
func Eventually[N any](name string, holds func(View[N]) bool, explain ...func(View[N]) string) Property {
	return stateProperty(sight.RuleEventually, name, holds, explain)
}

// Sometimes is a state that a search should meet, or it has not seen what it is for: a
// buffer that is full, two candidates at once. It is no promise, and never a finding; the
// report names those that were not met, under what was never exercised. Far says how far
// a state is from that, in whatever is counted: of one that was not met the report says
// how near the search came.
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

// Steps is a safety property of transitions: it holds between the states
// before and after every step, steps to known states included.
func Steps[N any](name string, holds func(before, after View[N]) bool, explain ...func(before, after View[N]) string) Property {
	p := propertyAbout[N](sight.RuleSteps, name)
	p.rule.Step = func(before, after *sight.State) sight.Check {
		b, a := seenOf[N](before), seenOf[N](after)
		c := sight.Check{Name: name, Holds: func() bool { return holds(b.view(), a.view()) }}
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

// Monitor is a safety property of a run: observe is told every fact that a
// node emits, and remembers what it needs in m. The memory is part of the
// state, and keeps copies, not pointers into a fact that may change. *M may have
// a method Init(), called at the start of every run.
func Monitor[M any](name string, observe func(m *M, at Addr, fact any) error) Property {
	return Property{Name: name, rule: sight.Rule{Kind: sight.RuleMonitor, Monitor: func() sight.Monitor {
		m := new(M)
		return sight.Monitor{
			Name: name,
			Reset: func() {
				*m = *new(M)
				if i, ok := any(m).(interface{ Init() }); ok {
					i.Init()
				}
			},
			Observe: func(at int, fact any) error { return observe(m, addrOf(at), fact) },
			Memory:  func() any { return m },
			Restore: func(memory any) { *m = *memory.(*M) },
		}
	}}}
}

// Emitted is a fact of a run: what a node told the monitors, and at which step.
type Emitted struct {
	At   Addr
	Step int
	Fact any
}

// Pictured is the property with a picture of the facts of a run that violates it, which
// lies as a file in the folder of the finding. draw returns nil where there is nothing
// to see.
func (p Property) Pictured(file string, draw func(facts []Emitted) ([]byte, error)) Property {
	p.file, p.draw = file, draw
	return p
}

// Picture is that of a run, and the name of its file; "": there is none.
func (p Property) Picture(t *Trace) (file string, picture []byte, err error) {
	if p.draw == nil {
		return "", nil, nil
	}
	var facts []Emitted
	for _, list := range [2][]Step{t.Starts, t.Steps} {
		for _, s := range list {
			for _, e := range s.Effects {
				if e.Kind == EffectEmit {
					facts = append(facts, Emitted{s.Node, s.Index, e.Value})
				}
			}
		}
	}
	picture, err = p.draw(facts)
	if picture == nil {
		return "", nil, err
	}
	return p.file, picture, err
}

// Constraint is a named set of states. Make one with While.
type Constraint struct {
	Name string

	rule sight.Rule
}

// While is the set of states in which holds does.
func While[N any](name string, holds func(View[N]) bool) Constraint {
	p := stateProperty(sight.RuleAlways, name, holds, nil)
	return Constraint{name, p.rule}
}

// IsZero reports whether there is no constraint.
func (c Constraint) IsZero() bool { return c.rule.State == nil }

// Rule is the constraint as those see it who run a service.
func (c Constraint) Rule() sight.Rule { return c.rule }
