package live

import (
	"slices"
	"strings"
	"testing"

	"macemc/sim"
)

// When a node is added to the book while the others run, they reach it from then on. Messages that were sent to
// it before are refused.
func TestGrow(t *testing.T) {
	all, err := Loopback(2)
	if err != nil {
		t.Fatal(err)
	}
	p, err := echoes.Configure(2, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := startEchoes(t, Config{Params: p, Book: all[:1], Only: []int{0}})
	any := func(want ...any) func(any) bool {
		return func(fact any) bool {
			return slices.Contains(want, fact)
		}
	}
	if fact, err := a.Node(0).Ask(t.Context(), begin{1}, any(broken{sim.CauseRefused})); err != nil {
		t.Fatal(fact, err)
	}
	if b := a.Book(); len(b) != 1 {
		t.Errorf("the book has %d nodes", len(b))
	}
	if err := a.Grow(all); err != nil {
		t.Fatal(err)
	}
	startEchoes(t, Config{Params: p, Book: all, Only: []int{1}})
	eventually(t, "answered", func() bool {
		fact, err := a.Node(0).Ask(t.Context(), begin{2}, any(heard{2}, broken{sim.CauseRefused}))
		return err == nil && fact == heard{2}
	})
	if b := a.Book(); len(b) != 2 || b[1] != all[1] {
		t.Errorf("the book is %s", b)
	}
	for _, c := range []struct {
		book Book
		says string
	}{
		{all[:1], "the book lacks n1 now"},
		{Book{all[0], "127.0.0.1:1"}, "the book has n1 at 127.0.0.1:1 now, and had it at"},
		{append(all[:2:2], "127.0.0.1:1"), "the book has 3 nodes now, and the system runs with 2"},
	} {
		if err := a.Grow(c.book); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.book, err, c.says)
		}
	}
}
