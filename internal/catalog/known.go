package catalog

import (
	"embed"
	"io/fs"

	"macemc/internal/known"
	"macemc/sim"
)

// The types of the entries, which package known declares.
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

// recorded is the folder of the recorded paths from whose ends some searches begin.
var recorded = func() fs.FS {
	sub, err := fs.Sub(files, "prefixes")
	if err != nil {
		panic("macemc bug: catalog: the embedded folder has another name: " + err.Error())
	}
	return sub
}()

// Bugs returns all known bugs, ordered by system and, for each system, in the order of its own list. A bug
// that has no entry in this package has only an ID.
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

// at describes a critical step: an event of a kind at a node with a role. message is the type of the
// event's message, timer or task, or "".
func at(role known.Role, kind sim.Kind, message string) Critical {
	return Critical{Role: role, Kind: kind, Message: message}
}
