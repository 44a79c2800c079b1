package pastry

import (
	"slices"

	"macemc/sim"
)

// Lists of addresses are sorted, and nil if empty.

func has(list []sim.Addr, a sim.Addr) bool { return slices.Contains(list, a) }

// with returns the list with a added.
func with(list []sim.Addr, a sim.Addr) []sim.Addr {
	at, found := slices.BinarySearchFunc(list, a, sim.Addr.Compare)
	if found {
		return list
	}
	return slices.Insert(list, at, a)
}

// without returns the list without a.
func without(list []sim.Addr, a sim.Addr) []sim.Addr {
	at, found := slices.BinarySearchFunc(list, a, sim.Addr.Compare)
	if !found {
		return list
	}
	if len(list) == 1 {
		return nil
	}
	return slices.Delete(list, at, at+1)
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
