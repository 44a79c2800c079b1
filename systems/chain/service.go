package chain

import (
	"slices"

	"macemc/layers/machine"
	"macemc/sim"
)

// Ask returns the request by which the application asks a client for an operation. The numbers of a
// client's operations must differ.
func Ask(id int, op any) sim.Signal { return put{id, op} }

// NewClient returns a client of a service that stands on some nodes: on replicas, the head first, or on
// a single node. It keeps a history of its operations.
func NewClient(name string, service []sim.Addr) sim.Node {
	return clients.Node(&client{service: name, up: service})
}

// Answers returns the property that each client's operations are answered, of which it has a number.
func Answers(name string, operations func(sim.Params) int) sim.Property {
	return sim.Takes(sim.Eventually(name, func(v sim.View[*client]) bool {
		for _, c := range v.Nodes() {
			if !c.Is(free) || c.id != operations(v.Params()) {
				return false
			}
		}
		return true
	}), (*client).idle)
}

// idle returns the number of the client's last operation, or nil while it waits for an answer.
func (c *client) idle() any {
	if c.Is(free) {
		return c.id
	}
	return nil
}

// NewReplica returns the k-th replica of a service.
func NewReplica(service []sim.Addr, k int, l Learner) sim.Node {
	before := slices.Clone(service[:k])
	slices.Reverse(before)
	return replicas.Node(&replica{learner: l, before: before, after: service[k+1:]})
}

// NewSingle returns the abstraction of a replicated service: a single node that does not fail. It answers what is
// asked in any order.
func NewSingle(l Learner) sim.Node { return singles.Node(&single{learner: l}) }

type serve struct{} // a task

// A single has the commands that it has not answered.
type single struct {
	machine.Core
	learner Learner
	history []Command
	pending []Command
}

var singles = machine.Define("single", machine.State[*single]{
	Name: alone,
	On:   machine.On(machine.OnMessage((*single).request), machine.OnSignal((*single).serve)),
})

// request takes a command, at any place among those that wait.
func (s *single) request(env sim.Env, from sim.Addr, m request) {
	at := env.Choose(len(s.pending)+1, "how many are served before")
	s.pending = slices.Insert(slices.Clone(s.pending), at, Command{from, m.ID, m.Op})
	env.Post(serve{})
}

func (s *single) serve(env sim.Env, _ serve) {
	c := s.pending[0]
	if s.pending = slices.Clone(s.pending[1:]); len(s.pending) == 0 {
		s.pending = nil
	}
	value := s.learner.Apply(s.history, c.Op)
	s.history = append(slices.Clone(s.history), c)
	env.TCP().Send(c.Client, reply{c.ID, value})
}

// The messages of a service, for clients of other packages.
type (
	Request = request
	Reply   = reply
)

// A Server is a node that a service stands on, as properties see it.
type Server interface{ Commands() []Command }

// Commands returns what the replica has, answered or not.
func (r *replica) Commands() []Command { return r.history }

// Commands returns what the node has answered.
func (s *single) Commands() []Command { return s.history }
