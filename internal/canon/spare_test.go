package canon

import "testing"

// twice keeps one slice in two places, or a slice and an equal one.
type twice struct{ log, kept []int }

// TestCopySpare checks that two slices of one array are two slices of one array in the copy, too: a value
// that is appended to one shows in the other. Slices with arrays of their own stay apart. The hash does
// not depend on it.
func TestCopySpare(t *testing.T) {
	for name, c := range map[string]struct {
		make   func() *twice
		shared bool
	}{
		"one slice with room": {func() *twice {
			s := append(make([]int, 0, 8), 1, 2)
			return &twice{s, s}
		}, true},
		"an empty slice with room": {func() *twice {
			s := make([]int, 0, 4)
			return &twice{s, s}
		}, true},
		"a part with room": {func() *twice {
			s := append(make([]int, 0, 8), 1, 2)
			return &twice{s, s[:1]}
		}, true},
		"one slice without room": {func() *twice {
			s := []int{1, 2}
			return &twice{s, s}
		}, false},
		"two slices with room": {func() *twice {
			return &twice{append(make([]int, 0, 8), 1, 2), append(make([]int, 0, 8), 1, 2)}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := New(Options{})
			if err != nil {
				t.Fatal(err)
			}
			v := c.make()
			copied := mustCopy(t, w, v)
			if h, g := mustSum(t, w, v), mustSum(t, w, copied); h != g {
				t.Errorf("the hash of the copy is %s, not %s", g, h)
			}
			for _, one := range []*twice{v, copied.(*twice)} {
				one.log = append(one.log, 3)
				one.kept = append(one.kept, 9)
				at := len(one.kept) - 1
				if shared := one.log[at] == 9; shared != c.shared {
					t.Errorf("shared is %v: %v and %v", shared, one.log, one.kept)
				}
			}
		})
	}
}
