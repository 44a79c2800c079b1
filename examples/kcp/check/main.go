// Command check is the command line of macemc for KCP. It knows the known bugs of the driver, too:
// check bugs verify tests that they are found as their entries state.
package main

import (
	"macemc/command"
	"macemc/examples/kcp"
	"macemc/sim"
)

func main() {
	command.Program{Systems: []*sim.System{kcp.System}, Parts: []command.Part{kcp.Known}}.Main()
}
