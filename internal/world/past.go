package world

import (
	"reflect"

	"macemc/internal/canon"
	"macemc/internal/judge"
	"macemc/internal/sight"
)

// Past shows step properties the state before the last step. It keeps a copy, called a mirror, of each node
// value that they look at, and updates the copies of the nodes that a step changes. It cannot show
// everything: see Holds.
type Past struct {
	of       *World
	steps    *judge.Steps
	sees     sight.State
	at       []pastNode
	timers   int
	inFlight int
	opening  bool // the past equals the present now, so that a mirror may be made
}

// pastNode is one node of a Past.
type pastNode struct {
	seen    sight.Node
	mirrors []pastMirror
}

// pastMirror is the mirror of a node, or of a layer of it.
type pastMirror struct {
	*canon.Mirror
	of any // the value that it mirrors; nil means that the mirror may be used for another value
}

// unseen is the value of the panic by which a Past refuses to show something that it does not keep.
type unseen struct{}

// Past returns a Past of this world, for the step properties that are selected.
func (w *World) Past(only []string) *Past {
	p := &Past{of: w, at: make([]pastNode, w.n)}
	p.bind(only)
	return p
}

func (p *Past) bind(only []string) {
	var nodes []*sight.Node
	for i := range p.at {
		nodes = append(nodes, &p.at[i].seen)
	}
	p.sees = sight.State{Runtime: past{p}, Params: p.of.nodes.sees.Params, Past: p.mirror, Nodes: nodes}
	p.steps = p.of.Judge.Steps(p.of.sys, only, &p.sees)
}

// Begin makes p show the present state as the past one from now on. It may be called after the
// world was set to a state of another run. It reports whether a Past can keep this state.
func (p *Past) Begin() bool {
	p.sees.Regrouped()
	return p.follow(true)
}

// Follow updates the past, which was the state before the last step, to the present state.
// It must be called before the properties of the present state are checked. It reports
// whether a Past can keep this state.
func (p *Past) Follow() bool { return p.follow(false) }

func (p *Past) follow(anew bool) (is bool) {
	defer func() {
		p.opening = false
		if r := recover(); r != nil && r != any(unseen{}) {
			panic(r)
		}
	}()
	all := anew
	for i := range p.at {
		if all || p.of.Judge.Changed(i) {
			another := p.sees.Follow(i, &p.of.nodes.at[i].seen)
			p.at[i].follow(another)
			p.of.work.copied()
			anew = anew || another
		}
	}
	p.timers, p.inFlight = p.of.timers.count, p.of.Links.InFlight()
	if anew {
		p.opening = true
		p.steps.Look()
	}
	return true
}

// follow updates the mirrors after a step. another says that the step has put a new node into this
// place. The mirrors of the old node are then free: each may be used for a value of the new node
// when a property looks at it.
func (n *pastNode) follow(another bool) {
	for k := range n.mirrors {
		if another {
			n.mirrors[k].free()
		}
		n.mirrors[k].show()
	}
}

func (m *pastMirror) free() { m.of = nil }

// shows makes m a mirror of a value.
func (m *pastMirror) shows(of any) {
	m.of = of
	m.show()
}

func (m *pastMirror) show() {
	if m.of != nil && !m.Show(m.of) {
		panic(unseen{})
	}
}

// mirror returns the copy of now as it was before the step. now is a value in node i, the node
// itself or a layer, that a property is about to look at.
func (p *Past) mirror(i int, now any) any {
	n := &p.at[i]
	for k := range n.mirrors {
		if m := &n.mirrors[k]; m.of == now {
			return m.Is()
		}
	}
	if !p.opening {
		panic(unseen{})
	}
	for k := range n.mirrors {
		if m := &n.mirrors[k]; m.of == nil && reflect.TypeOf(m.Is()) == reflect.TypeOf(now) {
			m.shows(now)
			return m.Is()
		}
	}
	m := p.of.walker.Mirror(now)
	if m == nil {
		panic(unseen{})
	}
	return n.add(pastMirror{Mirror: m}, now)
}

func (n *pastNode) add(m pastMirror, of any) any {
	m.shows(of)
	n.mirrors = append(n.mirrors, m)
	return m.Is()
}

// Holds reports whether all step properties certainly hold for the last step. If it returns false, a property
// does not hold, panics, or has looked at something that a Past does not keep. The caller then finds out by
// checking the properties in two worlds: see StepChecks.
func (p *Past) Holds() (holds bool) {
	defer func() { holds = recover() == nil && holds }()
	return p.steps.Unsafe() == nil
}

// past answers the questions that step properties ask about the timers and the messages under way
// in the state before the step.
type past struct{ *Past }

func (p past) Timers() int { return p.timers }

func (p past) InFlight() int {
	eyes{p.of}.refuse()
	return p.inFlight
}

func (past) UnderWay(func(sight.Sent) bool) { panic(unseen{}) }
