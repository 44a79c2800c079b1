package service

import (
	"maps"
	"slices"

	"macemc/sim"
)

// A Command is an operation that a client asks for. The zero Command does nothing.
type Command struct {
	Client sim.Addr
	ID     int // of the client, counting up
	Op     any
	Front  sim.Addr // who asked for the client, and is to be answered
}

// Same reports whether it is one command, whoever asked.
func (c Command) Same(d Command) bool { return c.Client == d.Client && c.ID == d.ID }

// A Learner is a service that is replicated: it applies commands. It is the same after the same commands.
type Learner interface{ Apply(c Command) (value any) }

// A Log is the learner that keeps the commands, and to which each comes to nothing. Protocols are checked with it.
type Log struct{ Commands []Command }

// Apply appends a command.
func (l *Log) Apply(c Command) any {
	l.Commands = append(l.Commands, c)
	return nil
}

// Network has connections that queue what a slow process of the operating system holds up. The nodes of a service do not look at what Send
// returns: a client has one command under way, so that more is under way only while acknowledgements are late.
func Network(sim.Params) sim.Network { return sim.Network{TCPBuffer: 1 << 16} }

type ( // messages
	request struct{ Command Command }
	reply   struct {
		Client sim.Addr
		ID     int
		Value  any
	}
)

// The messages of a service, for those that ask and those that answer.
type (
	Request = request
	Reply   = reply
)

// Answers are the last answers that a service has given to each client, by which it notices that it is asked again. A client has one command under
// way.
type Answers map[sim.Addr]Answered

// Answered is a command with what it came to.
type Answered struct {
	Command Command
	Value   any
}

// Has reports whether a command was applied, or a later one of the client.
func (a Answers) Has(c Command) bool {
	last, known := a[c.Client]
	return known && c.ID <= last.Command.ID
}

// Clients returns the clients that were answered, in order.
func (a Answers) Clients() []sim.Addr { return slices.SortedFunc(maps.Keys(a), sim.Addr.Compare) }

// Send answers whoever asked.
func (a Answered) Send(env sim.Env) {
	env.TCP().Send(a.Command.Front, reply{a.Command.Client, a.Command.ID, a.Value})
}

// A Server is a node that has a learner, as properties see it.
type Server interface{ Learned() Learner }
