package catalog

import (
	"embed"
	"io/fs"

	"macemc/internal/known"
	"macemc/sim"
)

// The words of the entries, which package known defines.
type (
	Known    = known.Bug
	Flags    = known.Flags
	Critical = known.Critical
	Share    = known.Share
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

// recorded is the folder of the prefixes.
var recorded = func() fs.FS {
	sub, err := fs.Sub(files, "prefixes")
	if err != nil {
		panic("macemc bug: catalog: the embedded folder has another name: " + err.Error())
	}
	return sub
}()

// Bugs returns all known bugs, by system, and in the system's own order. A bug without an entry in list has
// only its ID.
func Bugs() (all known.Entries) {
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

// at returns the critical step in which a node with a role takes an event.
func at(role known.Role, kind sim.Kind, message string) Critical {
	return Critical{Role: role, Kind: kind, Message: message}
}
