// Command check is the command line of macemc, for raft-wal.
package main

import (
	"macemc/command"
	"macemc/examples/rawal"
)

func main() { command.Main(rawal.System) }
