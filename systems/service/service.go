package service

import (
	"maps"
	"slices"

	"macemc/sim"
)

// A Command is an operation that a client asks for. The zero Command does nothing.
type Command struct {
	Client sim.Addr
	ID     int // numbered by the client, in ascending order
	Op     any
	Front  sim.Addr // the node that sends it for the client, and gets the answer
}

// Same reports whether two commands are the same operation of the same client. Their Front may
// differ.
func (c Command) Same(d Command) bool { return c.Client == d.Client && c.ID == d.ID }

// A Learner is a service that is replicated. Two learners that have applied the same commands in
// the same order are in the same state.
type Learner interface{ Apply(c Command) (value any) }

// A Log is a learner for checking protocols. It keeps the commands, and returns no values.
type Log struct{ Commands []Command }

// Apply appends a command.
func (l *Log) Apply(c Command) any {
	l.Commands = append(l.Commands, c)
	return nil
}

// Network returns a network whose connections queue many messages, as if a process of the
// operating system were slow. The nodes of a service ignore the result of Send. That is right
// since a client has one command under way at a time, so there are more messages only while
// acknowledgements are late.
func Network(sim.Params) sim.Network { return sim.Network{TCPBuffer: 1 << 16} }

type ( // messages
	request struct{ Command Command }
	reply   struct {
		Client sim.Addr
		ID     int
		Value  any
	}
)

// These are the messages of a service.
type (
	Request = request
	Reply   = reply
)

// Answers has the last answer to each client, so that a service notices a request that was sent
// twice. The last one is enough, since a client has one command under way at a time.
type Answers map[sim.Addr]Answered

// Answered is a command with its result.
type Answered struct {
	Command Command
	Value   any
}

// Has reports whether command c, or a later one of the same client, was applied.
func (a Answers) Has(c Command) bool {
	last, known := a[c.Client]
	return known && c.ID <= last.Command.ID
}

// Clients returns the clients that have got answers, in ascending order.
func (a Answers) Clients() []sim.Addr { return slices.SortedFunc(maps.Keys(a), sim.Addr.Compare) }

// Send sends the answer to the node that has sent the command.
func (a Answered) Send(env sim.Env) {
	env.TCP().Send(a.Command.Front, reply{a.Command.Client, a.Command.ID, a.Value})
}

// A Server is a node with a learner, as properties see it.
type Server interface{ Learned() Learner }
