package yorkie

import (
	"strings"
	"testing"

	"macemc/macetest"
	"macemc/search"
)

// Insertions and styles alone: nothing is found.
func TestInsertionsAgree(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"edits=insert"}, Walks: 50})
}

// Deletions differ: see docs/found.md. Those that are known hide no others.
func TestDeletionsDiffer(t *testing.T) {
	params, err := System.Configure(0, []string{"edits=delete"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(System, search.Options{Params: params, Ignore: []string{"because=delete(0,"}, NoWalks: true})
	if err != nil || r.Finding == nil || !strings.HasPrefix(r.Finding.Message, "delete(1,4) beside delete(1,5): ") || r.Ignored == 0 {
		t.Fatalf("found is %+v, %v", r.Finding, err)
	}
}
