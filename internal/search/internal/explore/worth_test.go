package explore

import (
	"sync/atomic"
	"testing"
)

// TestWorth: a node is dear if most of its steps had to be run. Nodes beyond the 64th are never dear.
func TestWorth(t *testing.T) {
	for _, nodes := range []int{1, 3, 64, 65, 160} {
		w := newWorth(nodes, 4)
		for i := range nodes {
			for k := range 8 { // all steps of one node, half of the steps of the next
				if w.ask(i); i%2 == 0 || k%2 == 1 {
					w.ran(i)
				}
			}
			if want := i%2 == 0 && i < 64; w.isDear(i) != want {
				t.Errorf("of %d nodes, node %d is dear: %v; want %v", nodes, i, w.isDear(i), want)
			}
		}
		if want := nodes == 1; w.allDear() != want {
			t.Errorf("all of %d nodes are dear: %v; want %v", nodes, w.allDear(), want)
		}
		for i := range nodes {
			for range 4 {
				w.ask(i)
				w.ran(i)
			}
		}
		if want := nodes <= 64; w.allDear() != want {
			t.Errorf("all of %d nodes are dear: %v; want %v", nodes, w.allDear(), want)
		}
	}
}

// Memos that share what they learn agree on which nodes are dear.
func TestWorthIsShared(t *testing.T) {
	var shared atomic.Uint64
	a, b := newWorth(3, 1), newWorth(3, 1)
	a.ask(1)
	a.ran(1)
	a.agree(&shared)
	b.ask(2)
	b.ran(2)
	b.agree(&shared)
	a.agree(&shared)
	if a.dear != 0b110 || b.dear != 0b110 {
		t.Errorf("dear are nodes %b to one and %b to the other; want 110 to both", a.dear, b.dear)
	}
}
