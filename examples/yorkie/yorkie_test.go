package yorkie

import (
	"testing"

	"macemc/macetest"
	"macemc/sim"
)

// Insertions and styles alone: nothing is found.
func TestInsertionsAgree(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"edits=insert"}, Walks: 50})
}

// Deletions differ: see docs/found.md.
func TestDeletionsDiffer(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"edits=delete"}, Expect: sim.VerdictSafety, NoShrink: true})
}
