// Command check is the command line of macemc for KCP. It also has the known bugs of the driver:
// check bugs verify tests that each of them is found as its entry says.
package main

import (
	"macemc/command"
	"macemc/examples/kcp"
	"macemc/sim"
)

func main() {
	command.Program{Systems: []*sim.System{kcp.System}, Parts: []command.Part{kcp.Known}}.Main()
}
