// Command check is the command line of macemc, for pebble's manifest.
package main

import (
	"macemc/command"
	"macemc/examples/pebble"
)

func main() { command.Main(pebble.System) }
