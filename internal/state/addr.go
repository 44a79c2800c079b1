package state

import (
	"macemc/internal/sight"
	"macemc/sim"
)

// addrs has all addresses: first that of no node, then those of the nodes.
var addrs = func() (all [sight.NodesMost + 1]sim.Addr) {
	copy(all[1:], sim.Params{Nodes: sight.NodesMost}.Addrs())
	return all
}()

// AddrOf returns the address of the node with an index. Index -1 is the address of no node.
func AddrOf(index int) sim.Addr { return addrs[index+1] }
