// Command check is the command line of macemc, for gpbft.
package main

import (
	"macemc/command"
	"macemc/examples/f3"
)

func main() { command.Main(f3.System) }
