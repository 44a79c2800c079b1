package raft

import "macemc/sim"

// Propose returns the request to replicate a command. It is repeated until the command is applied at
// the server that was asked.
func Propose(command string) sim.Signal { return propose{command} }

// Applied reports whether a fact says that a server has applied a command, and returns its index and
// the command. A command may be applied at several indices, since it is proposed until it is applied;
// the command "" has no effect. In each life a server applies its log from the first index on.
func Applied(fact any) (index uint64, command string, ok bool) {
	a, ok := fact.(applied)
	return a.index, a.command, ok
}
