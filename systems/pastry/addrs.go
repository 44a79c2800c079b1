package pastry

import (
	"slices"

	"macemc/sim"
)

// Lists of addresses are in order, and nil if empty.

func has(list []sim.Addr, a sim.Addr) bool { return slices.Contains(list, a) }

// with returns a list and a.
func with(list []sim.Addr, a sim.Addr) []sim.Addr {
	at, found := slices.BinarySearchFunc(list, a, sim.Addr.Compare)
	if found {
		return list
	}
	return slices.Insert(list, at, a)
}

// without returns a list but for a.
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
