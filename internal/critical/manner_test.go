package critical_test

import (
	"testing"

	"macemc/internal/critical"
	"macemc/internal/search"
	"macemc/systems/handshake"
)

// TestShrinkingKeepsManner: the finding with a shorter run, and its path, still have the manner of the walk
// that met it.
func TestShrinkingKeepsManner(t *testing.T) {
	p, err := handshake.System.Configure(0, nil, []string{string(handshake.HS1)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Search(handshake.System, search.Options{Params: p, Depth: 1, Paths: 200, Workers: 1})
	if err != nil || r.Finding == nil || r.Finding.Manner == "" {
		t.Fatal(err, r.Finding)
	}
	out, err := critical.Explain(handshake.System, r.Finding, critical.Options{Search: search.Options{Workers: 1}}, true)
	if err != nil {
		t.Fatal(err)
	}
	f := out.Finding
	if header, _ := f.Path.Get("walk"); f.Found == nil || f.Manner != r.Finding.Manner || header != f.Manner {
		t.Errorf("a run of %d steps, shortened %v, was met by %q, in its path %q; want %q", len(f.Path.Steps), f.Found != nil, f.Manner, header, r.Finding.Manner)
	}
}
