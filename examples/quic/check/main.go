// Command check is the command line of macemc, for quic-go's ackhandler.
package main

import (
	"macemc/command"
	"macemc/examples/quic"
)

func main() { command.Main(quic.System) }
