package known

import (
	"macemc/internal/nearest"
	"macemc/sim"
)

// System returns the system with a name. The error for an unknown name lists the systems,
// and suggests the one that was probably meant.
func System(systems []*sim.System, name string) (*sim.System, error) {
	var names []string
	for _, sys := range systems {
		if sys.Name == name {
			return sys, nil
		}
		names = append(names, sys.Name)
	}
	return nil, nearest.Missing("system", name, names)
}

// Find returns the known bugs with these ids, in the order of the catalogue, or all bugs
// if ids is empty. The error for an unknown id suggests the one that was probably meant.
func Find(all []Entry, ids []string) ([]Entry, error) {
	if len(ids) == 0 {
		return all, nil
	}
	wanted, names := map[string]bool{}, []string(nil)
	for _, id := range ids {
		wanted[id] = true
	}
	var found []Entry
	for _, e := range all {
		names = append(names, string(e.ID))
		if wanted[string(e.ID)] {
			found = append(found, e)
			delete(wanted, string(e.ID))
		}
	}
	for _, id := range ids {
		if wanted[id] {
			return nil, nearest.Missing("known bug", id, names)
		}
	}
	return found, nil
}
