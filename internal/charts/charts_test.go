package charts

import (
	"strings"
	"testing"
)

// TestTally checks that the counts of two tallies, and of one from another process, are added, and that a chart that was
// made again counts as the same if it has the same names.
func TestTally(t *testing.T) {
	door := func() *Chart {
		return &Chart{Name: "door", States: []string{"open", "shut", "locked"}, Events: []string{"push"}, Pairs: make([]Reaction, 3)}
	}
	here, there := door(), door()
	var a, b Tally
	a.Took(here, 1, 0)
	a.Moved(here, 1, 2)
	b.Moved(here, 1, 2)
	b.Moved(here, 2, 0)
	a.Merge(&b)
	var far Tally
	far.Took(there, 1, 0)
	far.Moved(there, 0, 1)
	if err := a.Join(far.Counted()); err != nil {
		t.Fatal(err)
	}
	all := a.Charts()
	if len(all) != 1 {
		t.Fatalf("there are %d charts, want 1", len(all))
	}
	c := all[0]
	for move, want := range map[[2]int]int{{1, 2}: 2, {2, 0}: 1, {0, 1}: 1, {2, 1}: 0, {1, 0}: 0} {
		if got := c.Moves(move[0], move[1]); got != want {
			t.Errorf("%d moves from %s to %s, want %d", got, c.States[move[0]], c.States[move[1]], want)
		}
	}
	if got := c.Times(1, 0); got != 2 {
		t.Errorf("shut took push %d times, want 2", got)
	}
	err := a.Join([]Sum{{Chart: there, Pairs: make([]int, 3), Moves: [][3]int{{0, 3, 1}}}})
	if err == nil || !strings.Contains(err.Error(), "a move from state 0 to state 3") {
		t.Errorf("a move to a fourth state of three: %v", err)
	}
}
