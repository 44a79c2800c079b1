// Command check is the command line of macemc for etcd's raft. It knows the known bugs of the
// driver, too: check bugs verify tests that they are found as their entries state.
package main

import (
	"macemc/command"
	"macemc/examples/raft"
	"macemc/sim"
)

func main() {
	command.Program{Systems: []*sim.System{raft.System}, Parts: []command.Part{raft.Known}}.Main()
}
