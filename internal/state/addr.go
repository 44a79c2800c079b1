package state

import (
	"macemc/internal/sight"
	"macemc/sim"
)

// addrs are all addresses, after that of nobody.
var addrs = func() (all [sight.NodesMost + 1]sim.Addr) {
	copy(all[1:], sim.Params{Nodes: sight.NodesMost}.Addrs())
	return all
}()

// AddrOf returns the address of the node with an index; -1 is nobody.
func AddrOf(index int) sim.Addr { return addrs[index+1] }
