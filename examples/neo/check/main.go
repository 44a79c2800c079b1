// Command check is the command line of macemc, for dBFT of Neo.
package main

import (
	"macemc/command"
	"macemc/examples/neo"
)

func main() { command.Main(neo.System) }
