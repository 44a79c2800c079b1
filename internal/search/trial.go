package search

import (
	"fmt"

	"macemc/internal/search/internal/explore"
)

// A trial finds out whether a reduction pays. It has three stages.
//
// First the exhaustive phase takes all steps, and the reduction only observes what they do.
//
// When trialAfter states were visited, and again at four times that number and so on, the phase looks at a sample of
// the states of the next level: one state for each trialShare visited states, but at most trialStates. If the reduction
// would leave out at least two fifths of the steps of the sample, the reduction is tried.
//
// To try it, the phase explores the levels so far once more, from the start, with the reduction. If this visits more
// than half the number of states without it, the reduction does not pay: the phase forgets its states, and goes on as
// if the reduction had not been tried. The same is done earlier if a level shows that it will not pay (see dear).
// Otherwise the phase goes on with the states that the reduction has visited, and forgets the others.
type trial struct {
	before Stats // the counts when the phase began
	sizes  []int // by depth: the number of states to this depth
	after  int   // number of visited states at which the next look is due

	looked, taken, left int // states that were looked at, and their steps
}

// See trial for the trials that these numbers control. trialAfter is the number of visited states
// at which the first sample of states is looked at. A sample has one state for each trialShare
// visited states, but at most trialStates.
const (
	trialAfter  = 8192
	trialStates = 256
	trialShare  = 128
)

// tries reports whether the reduction should be tried before a level is expanded. It needs one
// worker, so this is decided before a team is made.
func (r *runner) tries(x *explore.Explorer, level explore.Frontier) (bool, error) {
	t := &r.trial
	if x.Reduction == nil || !x.Reduction.Waits {
		return false, nil
	}
	t.visited(x.Len())
	last := r.several(level)
	switch {
	case last && x.Len() < min(t.after, teamLeast):
		r.forgoes(x)
		return false, nil
	case !last && x.Len() < t.after:
		return false, nil
	}
	t.looks(x.Len())
	taken, left := 0, 0
	bad, err := r.owner.Guarded(x.Taker, func() (err error) {
		stride := level.Len()/min(trialStates, x.Len()/trialShare+1) + 1
		for k := 0; k < level.Len() && err == nil; k += stride {
			var some, others int
			some, others, err = x.Weigh(level.At(k))
			taken, left = taken+some, left+others
			t.weighs(some, others)
		}
		return err
	})
	switch pays := 5*left >= 2*(taken+left); {
	case bad != nil || err == explore.ErrHalt: // expanding the level will report it
		return false, nil
	case pays || err != nil:
		return pays, err
	case last:
		r.forgoes(x)
	}
	return false, nil
}

// weighs adds one state to the sample. taken is the number of its steps that the reduction would take,
// and left is the number of those that it would leave out.
func (t *trial) weighs(taken, left int) {
	t.looked, t.taken, t.left = t.looked+1, t.taken+taken, t.left+left
}

// forgoes gives up a reduction that only observes so far. If Options.Reduce is auto, it records the reason for the
// report.
func (r *runner) forgoes(x *explore.Explorer) {
	switch t := &r.trial; {
	case r.opts.Reduce != ReduceAuto:
	case t.looked == 0:
		r.add(Stats{Unreduced: fmt.Sprintf("the search ended after %d states, before it looked for steps to leave out", x.Len())})
	default:
		r.add(Stats{Unreduced: fmt.Sprintf("it would not pay: of the %d steps of %d sampled states, %d could be left out", t.taken+t.left, t.looked, t.left) + hinders(x.Reduction)})
	}
	x.Forgoes()
}

// hinders describes the most frequent reason why the reduction had to take all steps of a state.
func hinders(of *explore.Reduction) string {
	all, most, why := of.Hindered()
	if all == 0 {
		return ""
	}
	text := fmt.Sprintf("; all steps of %d states are taken, ", all)
	if most < all {
		text += fmt.Sprintf("of %d of them ", most)
	}
	return text + "since " + why
}

// visited records the number of states visited up to the next depth.
func (t *trial) visited(states int) { t.sizes = append(t.sizes, states) }

// looks decides when the next sample of states is looked at: when four times as many states are
// visited as at the last look, which is the parameter states.
func (t *trial) looks(states int) { t.after = 4 * states }

// try explores the levels up to this one again with the reduction, as long as that pays. It returns the explorer
// with which the search continues, and its level.
func (r *runner) try(x *explore.Explorer, level explore.Frontier) (*explore.Explorer, explore.Frontier, error) {
	y, err := x.Again()
	if err != nil {
		return nil, nil, err
	}
	t, began := &r.trial, r.now()
	audits, forgets := r.hand.unaudited() // all of this was done before
	var next explore.Frontier
	bad, err := r.owner.Guarded(y.Taker, func() (err error) {
		next, err = t.explores(y)
		return err
	})
	audits()
	switch {
	case err != nil && err != explore.ErrHalt && err != explore.ErrFull:
		return nil, nil, err
	case next == nil || bad != nil:
		forgets()
		x.TakesBack(y)
		if r.opts.Reduce == ReduceAuto {
			r.add(Stats{Unreduced: fmt.Sprintf("it does not pay: of the %d states to depth %d it would visit more than half", x.Len(), len(t.sizes)-1) + hinders(y.Reduction)})
		}
		y.Close()
		return x, level, nil
	}
	r.add(Stats{
		States: t.before.States + y.Len() - r.now().States, Transitions: t.before.Transitions - began.Transitions,
		Duplicates: t.before.Duplicates - began.Duplicates, Whole: x.Len(),
	})
	x.Close()
	return y, next, nil
}

// explores explores the levels again with the reduction. It returns the last level, or nil if the
// reduction does not pay.
func (t *trial) explores(y *explore.Explorer) (explore.Frontier, error) {
	for last := len(t.sizes) - 1; last > 0; last-- {
		var err error
		before := y.Len()
		dear := func() bool { return 2*y.Len() > t.sizes[len(t.sizes)-1] }
		level := y.Level()
		level.Some(0, level.Len(), func(_ int, s uint32) bool {
			if !y.Outside(s) {
				err = y.Expand(s)
			}
			return err == nil && !dear()
		})
		if err == nil && !dear() {
			err = y.Settle()
		}
		if err == nil && !dear() {
			err = y.Mend()
		}
		if err != nil || dear() || t.dear(len(t.sizes)-last, y.Len()-before) {
			return nil, err
		}
	}
	return append(explore.Frontier{}, y.Level()...), nil
}

// dear reports whether the reduction has visited so many states of the level at a depth that it does not pay. Near
// the start it may visit almost all states of a level, in the last levels only two thirds, since these have most of
// the states.
func (t *trial) dear(depth, states int) bool {
	all, whole := t.sizes[depth], t.sizes[depth]-t.sizes[depth-1]
	switch of := t.sizes[len(t.sizes)-1]; {
	case 8*all >= of:
		return 3*states > 2*whole
	case 16*all >= of:
		return 4*states > 3*whole
	case 32*all >= of:
		return 8*states > 7*whole
	case 128*all >= of:
		return 16*states > 15*whole
	}
	return false
}
