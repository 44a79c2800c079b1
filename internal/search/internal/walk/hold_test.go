package walk

import (
	"slices"
	"testing"

	"macemc/choose"
)

// names are the alternatives of a question, by name.
type names []string

func (names) Why() string                { return "" }
func (n names) Alternative(i int) string { return n[i] }

// A delayed event is not picked while another one that is not rare can happen. After the delay it
// has its own weight again.
func TestHold(t *testing.T) {
	ask := func(h *Hold, weights ...float64) []float64 {
		q := &choose.Question{Kind: choose.Event, N: len(weights), Alternatives: names{"a", "b", "c", "d"}[:len(weights)]}
		for _, w := range weights {
			if n := len(q.Runs); n > 0 && q.Runs[n-1].Weight == w {
				q.Runs[n-1].N++
			} else {
				q.Runs = append(q.Runs, choose.Run{N: 1, Weight: w})
			}
		}
		before := slices.Clone(q.Runs)
		var out []float64
		for _, r := range h.without(q).Runs {
			for range r.N {
				out = append(out, r.Weight)
			}
		}
		if !slices.Equal(before, q.Runs) {
			t.Errorf("the question itself has become %v", q.Runs)
		}
		return out
	}
	h := &Hold{left: 8, which: 1} // delays the second event that is not rare
	for i, c := range [][2][]float64{
		{{2, 0, 2, 2}, {2, 0, 0, 2}}, // c is chosen
		{{2, 2, 2}, {2, 2, 0}},
		{{0, 0, 1}, {0, 0, 1}}, // c, the delayed event, is the only one that can happen
		{{3, 1}, {3, 1}},       // c is not possible
		{{1, 1, 1, 1}, {1, 1, 0, 1}},
	} {
		if got := ask(h, c[0]...); !slices.Equal(got, c[1]) {
			t.Errorf("question %d: %v became %v, want %v", i, c[0], got, c[1])
		}
	}
	if h.event != "c" || h.left != 3 {
		t.Errorf("%q waits for %d steps more", h.event, h.left)
	}
	h = &Hold{begin: 2, left: 1}
	for i, want := range [][]float64{{1, 1}, {1, 1}, {0, 1}} {
		if got := ask(h, 1, 1); !slices.Equal(got, want) {
			t.Errorf("step %d: %v, want %v", i, got, want)
		}
	}
}

// An event is delayed for 8 to 64 steps; in every second walk it is one of those that are possible
// at first.
func TestHolds(t *testing.T) {
	left, begin := map[int]int{}, map[int]int{}
	for i := range 400 {
		h := NewHold(i)
		left[h.left]++
		if begin[h.begin]++; (i%2 == 0) != (h.begin == 0) {
			t.Errorf("walk %d begins after %d steps", i, h.begin)
		}
	}
	for _, n := range []int{8, 16, 32, 64} {
		if left[n] < 50 {
			t.Errorf("in %d of 400 walks an event waits for %d steps", left[n], n)
		}
	}
	if len(left) != 4 || len(begin) != 9 {
		t.Errorf("events wait for %v steps, after %v", left, begin)
	}
}
