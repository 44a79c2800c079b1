// Command check is the command line of macemc, for goleveldb's journal.
package main

import (
	"macemc/command"
	"macemc/examples/leveldb"
)

func main() { command.Main(leveldb.System) }
