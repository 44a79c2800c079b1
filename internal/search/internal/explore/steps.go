package explore

import (
	"macemc/internal/world"
	"macemc/trace"
)

// Steps checks the step properties for steps between kept states. It has a world of its own for the
// state before the step. The value of a step property depends only on what properties can see
// of the two states. So it is stored by the identities of the nodes before and after, unless a
// property has looked at messages, and most steps that a memo looks up need not be loaded into a
// world.
type Steps struct {
	of     *Taker
	prior  *world.World // in the state before the step
	checks *world.Transition
	from   world.Vector
	before uint32 // the state that prior is in, or NoParent before the first one
	held   Judged // pairs of node identities for which every step property holds
}

// NewSteps returns a Steps for the steps of taker t, whose world is in the state after the step. It
// returns nil if the system has no step properties.
func NewSteps(t *Taker) (*Steps, error) {
	if !t.Owner.Always {
		return nil, nil
	}
	prior, err := t.Owner.NewWorld(world.Config{})
	if err != nil {
		return nil, err
	}
	prior.State.Track()
	return &Steps{
		of: t, prior: prior, checks: world.StepChecks(prior, t.World, t.Owner.Properties),
		from: make(world.Vector, t.Bank.Places()), before: NoParent,
	}, nil
}

// Check returns the failure of the first step property that is violated by the step from state
// before to the world's present state, or nil.
func (s *Steps) Check(before uint32) *trace.Failure {
	if s == nil {
		return nil
	}
	if s.before != before {
		s.of.Get(before, s.from)
		s.prior.State.Load(s.of.Bank, s.from)
		s.before = before
	}
	return s.checks.Check()
}

// lookUp is like Check, for the step to candidate c, which memo m has looked up. It loads the
// states into the worlds only if the properties of this step are not known.
func (s *Steps) lookUp(m *Memo, c *candidate) *trace.Failure {
	if s == nil {
		return nil
	}
	p, t := &m.Parents[c.Parent], s.of
	nodes, flying := p.nodes.Then(m.NodesOf(c)), p.Fly<<16|(p.Fly+int(c.Fly))
	if _, known := s.held.Get(nodes, flying); known {
		return nil
	}
	t.lead(Spot{p.State, int(c.event), t.Lists.Get(c.coins)}, m.changes[c.first:c.last])
	t.mark(t.LastEvent, t.lastCoins)
	t.Owner.Pulse.Tick()
	failure := s.Check(p.State)
	t.Owner.Pulse.Pass()
	before, after := s.prior.Judge, t.World.Judge
	if looked := before.Looked(); !after.Looked() && !looked && failure == nil {
		s.held.put(before.Counted() || after.Counted(), nodes, flying, SaidInside)
	}
	return failure
}
