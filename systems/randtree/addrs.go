package randtree

import (
	"slices"

	"macemc/sim"
)

// Lists of addresses are in order, and nil if empty. Every change makes a new list,
// since messages carry the old one.

func has(list []sim.Addr, a sim.Addr) bool { return slices.Contains(list, a) }

// with returns a list and a.
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

// without returns a list but for a.
func without(list []sim.Addr, a sim.Addr) (rest []sim.Addr) {
	for _, b := range list {
		if b != a {
			rest = append(rest, b)
		}
	}
	return rest
}

// after returns what follows a in a list that is not empty, round and round; a need not be
// in it.
func after(list []sim.Addr, a sim.Addr) sim.Addr {
	for _, b := range list {
		if a.Less(b) {
			return b
		}
	}
	return list[0]
}
