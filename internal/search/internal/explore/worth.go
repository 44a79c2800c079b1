package explore

import (
	"cmp"
	"sync/atomic"
)

// worth counts, for each node, how many of its steps were asked for, and how many of these had to
// be run, since their results were not known. If one node has all the state, as in a specification,
// it is in a new state after almost every step: each of its steps is then run, run again to verify
// it, and stored, but never looked up again. The steps of such a node are dear, and a memo takes
// them in the world, as the stepper InWorld does.
type worth struct {
	of   []asking // by node
	runs int      // number of handler runs of a node after which its steps may become dear
	dear uint64   // the nodes whose steps are dear, one bit each
}

type asking struct{ asked, ran int }

func (a *asking) ask() { a.asked++ }

// most counts a handler run. After each sequence of this many runs, it reports whether most of
// the steps that were asked for during the sequence had to be run. At other times it returns
// false.
func (a *asking) most(runs int) (most bool) {
	if a.ran++; a.ran == runs {
		most = 2*a.ran > a.asked
		*a = asking{}
	}
	return most
}

// worthRuns is the number of handler runs after which a node's steps become dear, if most steps
// that were asked for meanwhile had to be run.
const worthRuns = 1 << 12

func newWorth(nodes, runs int) worth {
	return worth{of: make([]asking, nodes), runs: cmp.Or(runs, worthRuns)}
}

// ask counts that the result of a step of node i was asked for.
func (w *worth) ask(i int) { w.of[i].ask() }

// ran counts a handler run of node i. If most of the node's steps have to be run, they become dear.
func (w *worth) ran(i int) {
	if w.of[i].most(w.runs) {
		w.dear |= 1 << i
	}
}

// agree exchanges nodes whose steps are dear with other memos: dear is the set that all of them share.
// It adds the nodes of w to dear, and those of dear to w.
func (w *worth) agree(dear *atomic.Uint64) {
	if d := dear.Load(); d != w.dear {
		w.dear |= d
		dear.Or(w.dear)
	}
}

// isDear reports whether the steps of node i are dear, which means that they are taken in the
// world. It returns false if i is none.
func (w *worth) isDear(i int) bool { return i != none && w.dear>>i&1 != 0 }

// allDear reports whether the steps of all nodes are dear, so that all steps are taken in the
// world. It returns false for systems with more than 64 nodes, since later nodes have no bit.
func (w *worth) allDear() bool { return len(w.of) <= 64 && w.dear == 1<<len(w.of)-1 }

// Dear returns the nodes whose steps are dear, one bit each. The explorer takes these steps in the
// world.
func (x *Explorer) Dear() uint64 {
	if m := x.Memo(); m != nil {
		return m.dear
	}
	return 0
}
