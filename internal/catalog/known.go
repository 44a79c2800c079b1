package catalog

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"macemc/internal/known"
	"macemc/sim"
)

// The words of the entries: see package known.
type (
	Known    = known.Bug
	Flags    = known.Flags
	Critical = known.Critical
)

const (
	Safety      = known.Safety
	Liveness    = known.Liveness
	Performance = known.Performance

	Anyone    = known.Anyone
	First     = known.First
	Other     = known.Other
	Restarted = known.Restarted
)

//go:embed prefixes
var files embed.FS

// recorded are the prefixes.
var recorded = func() fs.FS {
	sub, err := fs.Sub(files, "prefixes")
	if err != nil {
		panic("macemc bug: catalog: the embedded folder has another name: " + err.Error())
	}
	return sub
}()

// Bugs are all known bugs, in the order of the systems, and in each of its own.
// One that has no entry in the list is Known by its ID alone.
func Bugs() (all []known.Entry) {
	entries := map[sim.BugID]Known{}
	for _, k := range list {
		entries[k.ID] = k
	}
	for _, sys := range Systems() {
		for _, b := range sys.Bugs {
			k, listed := entries[b.ID]
			if !listed {
				k.ID = b.ID
			}
			all = append(all, known.Entry{Bug: k, System: sys, Story: b.Story, Prefixes: recorded})
		}
	}
	return all
}

// FindBugs are the known bugs with these ids, in the catalogue's order; all, if
// there are none. Its error says which was probably meant.
func FindBugs(ids []string) ([]known.Entry, error) {
	all := Bugs()
	if len(ids) == 0 {
		return all, nil
	}
	wanted, names := map[string]bool{}, []string(nil)
	for _, id := range ids {
		wanted[id] = true
	}
	var found []known.Entry
	for _, e := range all {
		names = append(names, string(e.ID))
		if wanted[string(e.ID)] {
			found = append(found, e)
			delete(wanted, string(e.ID))
		}
	}
	for _, id := range ids {
		if !wanted[id] {
			continue
		}
		if meant := Nearest(id, names); meant != "" {
			return nil, fmt.Errorf("there is no known bug %q; did you mean %s? There are %s", id, meant, strings.Join(names, ", "))
		}
		return nil, fmt.Errorf("there is no known bug %q; there are %s", id, strings.Join(names, ", "))
	}
	return found, nil
}

// at is the critical step where something happens to a node with a role.
func at(role known.Role, kind sim.Kind, message string) Critical {
	return Critical{Role: role, Kind: kind, Message: message}
}
