package service

import (
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
)

// NewSingle returns the abstraction of a replicated service: a single node that does not fail. It
// answers commands in any order.
func NewSingle(l Learner) sim.Node { return singles.Node(&single{learner: l}) }

type serve struct{} // a task

// A single is the abstraction of a replicated service. pending has the commands that it has not
// applied yet.
type single struct {
	machine.Core
	learner Learner
	pending []Command
}

var singles = machine.Define("single", machine.State[*single]{
	Name: "alone",
	On:   machine.On(machine.OnMessage((*single).request), machine.OnSignal((*single).serve)),
})

// request puts a command at any place among the pending ones.
func (s *single) request(env sim.Env, _ sim.Addr, m request) {
	at := env.Choose(len(s.pending)+1, "how many are served before")
	s.pending = slices.Insert(slices.Clone(s.pending), at, m.Command)
	env.Post(serve{})
}

func (s *single) serve(env sim.Env, _ serve) {
	c := s.pending[0]
	if s.pending = slices.Clone(s.pending[1:]); len(s.pending) == 0 {
		s.pending = nil
	}
	env.TCP().Send(c.Front, reply{c.Client, c.ID, s.learner.Apply(c)})
}

// Learned implements Server.
func (s *single) Learned() Learner { return s.learner }
