package sight

// A Shadow is a State as it is where some of its nodes have failed for good.
type Shadow struct {
	of    *State
	state State
	gone  []int
	down  Node // of each node that is gone
}

// NewShadow returns the shadow of a state without the nodes. It shows nothing before the
// first Follow.
func NewShadow(of *State, without []int) *Shadow {
	s := &Shadow{of: of, gone: without}
	s.state.Runtime = survivors{s}
	return s
}

// State returns the state in which the nodes are gone. It is the same one each time.
func (s *Shadow) State() *State { return &s.state }

// Follow updates the shadow from the present values of its state.
func (s *Shadow) Follow() {
	s.state.Params, s.state.Epoch, s.state.Membership = s.of.Params, s.of.Epoch, s.of.Membership
	s.state.Nodes = append(s.state.Nodes[:0], s.of.Nodes...)
	for _, i := range s.gone {
		s.state.Nodes[i] = &s.down
	}
}

// survivors is the runtime of the nodes that a shadow has left.
type survivors struct{ s *Shadow }

func (v survivors) Timers() (n int) {
	for _, node := range v.s.state.Nodes {
		n += len(node.Timers)
	}
	return n
}

func (v survivors) InFlight() int                  { return v.s.of.Runtime.InFlight() }
func (v survivors) UnderWay(yield func(Sent) bool) { v.s.of.Runtime.UnderWay(yield) }

// Without returns the check of a rule made by Always as it is where some nodes have failed for good. The
// check must be made anew for each State.
func (r Rule) Without(nodes []int, of *State) Check {
	shadow := NewShadow(of, nodes)
	c := r.State(shadow.State())
	holds := c.Holds
	c.Holds = func() bool { shadow.Follow(); return holds() }
	return c
}
