package yorkie

import (
	"strings"
	"testing"

	"macemc/macetest"
	"macemc/search"
)

// With insertions and styles alone a search finds nothing.
func TestInsertionsAgree(t *testing.T) {
	macetest.Run(t, System, macetest.Options{Params: []string{"edits=insert"}, Walks: 50})
}

// With deletions replicas differ: see docs/found.md. If the known differences are ignored, others are found.
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
