// Command check is the command line of macemc, for etcd's raft.
package main

import (
	"macemc/command"
	"macemc/examples/raft"
)

func main() { command.Main(raft.System) }
