package sight

// A Shadow is a copy of a State in which some nodes have failed for good.
type Shadow struct {
	of    *State
	state State
	gone  []int
	down  Node // the Node that takes the place of each node that has failed
}

// NewShadow returns a shadow of the state of, in which the nodes whose indices are in without have failed. It
// is valid after the first call of Follow.
func NewShadow(of *State, without []int) *Shadow {
	s := &Shadow{of: of, gone: without}
	s.state.Runtime = survivors{s}
	return s
}

// State returns the state in which these nodes have failed. It returns the same pointer each time.
func (s *Shadow) State() *State { return &s.state }

// Follow updates the shadow after the state that it copies has changed.
func (s *Shadow) Follow() {
	s.state.Params, s.state.Epoch, s.state.Membership = s.of.Params, s.of.Epoch, s.of.Membership
	s.state.Nodes = append(s.state.Nodes[:0], s.of.Nodes...)
	for _, i := range s.gone {
		s.state.Nodes[i] = &s.down
	}
}

// survivors is the Runtime of a shadow. It sees only the nodes that have not failed.
type survivors struct{ s *Shadow }

func (v survivors) Timers() (n int) {
	for _, node := range v.s.state.Nodes {
		n += len(node.Timers)
	}
	return n
}

func (v survivors) InFlight() int                  { return v.s.of.Runtime.InFlight() }
func (v survivors) UnderWay(yield func(Sent) bool) { v.s.of.Runtime.UnderWay(yield) }

// Without returns a check of rule r, which must be made by Always. The check evaluates the rule in a copy of
// the state of in which the given nodes have failed for good.
func (r Rule) Without(nodes []int, of *State) Check {
	shadow := NewShadow(of, nodes)
	c := r.State(shadow.State())
	holds := c.Holds
	c.Holds = func() bool { shadow.Follow(); return holds() }
	return c
}
