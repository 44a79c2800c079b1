package raft

import "macemc/sim"

// Propose is the request that a command be replicated. It is repeated until the command
// is applied at the server that was asked.
func Propose(command string) sim.Signal { return propose{command} }

// Applied tells what a server has applied, of the facts that it emits. A command may be
// applied at several indices, since it is proposed until it is applied; "" is none. In
// each life a server applies its log from the first index on.
func Applied(fact any) (index uint64, command string, ok bool) {
	a, ok := fact.(applied)
	return a.index, a.command, ok
}
