package randtree

import (
	"slices"

	"macemc/sim"
)

// Lists of addresses are sorted, and nil if empty. Every change makes a new list, since messages
// contain the old one.

func has(list []sim.Addr, a sim.Addr) bool { return slices.Contains(list, a) }

// with returns the list with a added.
func with(list []sim.Addr, a sim.Addr) []sim.Addr {
	at, found := slices.BinarySearchFunc(list, a, sim.Addr.Compare)
	if found {
		return list
	}
	longer := make([]sim.Addr, 0, len(list)+1)
	longer = append(longer, list[:at]...)
	longer = append(longer, a)
	return append(longer, list[at:]...)
}

// without returns the list without a.
func without(list []sim.Addr, a sim.Addr) (rest []sim.Addr) {
	for _, b := range list {
		if b != a {
			rest = append(rest, b)
		}
	}
	return rest
}

// after returns the address that follows a in a list, which must not be empty. The first address
// follows the last one. a need not be in the list.
func after(list []sim.Addr, a sim.Addr) sim.Addr {
	for _, b := range list {
		if a.Less(b) {
			return b
		}
	}
	return list[0]
}
