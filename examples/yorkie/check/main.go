// Command check is the command line of macemc, for yorkie's trees.
package main

import (
	"macemc/command"
	"macemc/examples/yorkie"
)

func main() { command.Main(yorkie.System) }
