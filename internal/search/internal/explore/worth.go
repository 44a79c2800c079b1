package explore

import "cmp"

// worth counts, for each node, how many of its steps were asked for and how many of these
// had to be run. A node that has all the state, as in a specification, is another one after
// each step: each step is then run twice, kept, and never looked up again. The steps of such
// a node are dear, and a memo takes them in the world, as the stepper InWorld does.
type worth struct {
	of   []asking // by node
	runs int      // the number of a node's handler runs after which its steps may become dear
	dear uint64   // the nodes whose steps are not looked up, one bit each
}

type asking struct{ asked, ran int }

func (a *asking) ask() { a.asked++ }

// most counts a handler run, and reports whether this completes that number of runs, and they
// are most of the steps. The next run begins a new count.
func (a *asking) most(runs int) (most bool) {
	if a.ran++; a.ran == runs {
		most = 2*a.ran > a.asked
		*a = asking{}
	}
	return most
}

// worthRuns is the number of handler runs of a node after which its steps are dear if they
// are most of the steps that were asked for meanwhile.
const worthRuns = 1 << 14

func newWorth(nodes, runs int) worth {
	return worth{of: make([]asking, nodes), runs: cmp.Or(runs, worthRuns)}
}

// ask counts a step of a node.
func (w *worth) ask(i int) { w.of[i].ask() }

// ran counts a run of a handler of a node.
func (w *worth) ran(i int) {
	if w.of[i].most(w.runs) {
		w.dear |= 1 << i
	}
}

// isDear reports whether the steps of a node are taken in the world; no node is none of
// them.
func (w *worth) isDear(i int) bool { return i != none && w.dear>>i&1 != 0 }

// allDear reports whether those of all nodes are. Nodes beyond the 64th have no bit, and are
// never dear.
func (w *worth) allDear() bool { return len(w.of) <= 64 && w.dear == 1<<len(w.of)-1 }

// Dear returns the nodes whose steps the explorer does not look up, one bit each, as runs
// have shown that they are not worth it.
func (x *Explorer) Dear() uint64 {
	if m := x.Memo(); m != nil {
		return m.dear
	}
	return 0
}
