package state

import (
	"macemc/internal/sight"
	"macemc/sim"
)

// addrs has the address of no node, followed by the addresses of all nodes.
var addrs = func() (all [sight.NodesMost + 1]sim.Addr) {
	copy(all[1:], sim.Params{Nodes: sight.NodesMost}.Addrs())
	return all
}()

// AddrOf returns the address of the node with an index. Index -1 is the address of no node.
func AddrOf(index int) sim.Addr { return addrs[index+1] }
