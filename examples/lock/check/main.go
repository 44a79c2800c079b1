// Command check is the command line of macemc, for the lock server.
package main

import (
	"macemc/command"
	"macemc/examples/lock"
)

func main() { command.Main(lock.System) }
