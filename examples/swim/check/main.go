// Command check is the command line of macemc, for SWIM.
package main

import (
	"macemc/command"
	"macemc/examples/swim"
)

func main() { command.Main(swim.System) }
