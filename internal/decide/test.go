package decide

// Test is the sequential test by which walks call a state dead. It takes rounds of
// fresh walks, the shortest first, and ends at the first walk that becomes live, which
// proves that the state can recover. If none does, the state is called dead. So the
// only error is to call a state dead that can recover; see "The sequential test" in
// the documentation of the package for its probability.
type Test struct {
	Walks        int // the least number of the shortest walks
	WalkSteps    int // the length of the longest walks but one, unless Recovery shows that it is too short
	MaxWalkSteps int // the length of one last walk, and the largest length of the others
	Recovery     int // the number of steps of the slowest recovery that was seen in the run, or 0 if none was

	Hopeless bool // no live state was seen, neither in the run nor in a walk, so walks may have been too short
}

// A Round is a number of walks that have the same number of steps.
type Round struct{ Walks, Steps int }

// The constants of a test. They assume that if a recovery took n steps in one run, it may take several times
// n steps in another, but rarely a hundred times n.
const (
	recoveries   = 4   // the length of the shortest walks is the slowest recovery times this
	longer       = 4   // the factor by which each round's walks are longer and fewer than those of the round before
	fewestWalks  = 4   // the least number of walks of a round
	shortest     = 128 // the least number of steps of a walk, unless WalkSteps is less
	recoveryMost = 64  // the longest walks take at least the slowest recovery times this
	moreWalks    = 4   // the largest number of the shortest walks is Walks times this; see Test.first
)

// Rounds returns the rounds of the test, the shortest walks first.
func (t Test) Rounds() []Round {
	n, steps := t.Walks, t.Shortest()
	all := []Round{{t.first(steps), steps}}
	for most := t.longest(); steps < most; {
		n, steps = max(fewestWalks, (n+longer-1)/longer), longer*steps
		if 2*steps > most {
			steps = most
		}
		all = append(all, Round{n, steps})
	}
	if steps < t.MaxWalkSteps {
		all = append(all, Round{1, t.MaxWalkSteps}) // a state from which every walk of this length becomes live is not called dead
	}
	return all
}

// first returns the number of the shortest walks, which have the given number of steps. It is more than Walks
// if the walks are so short that all of them take at most a fourth of the steps of Walks walks of WalkSteps.
func (t Test) first(steps int) int {
	return max(t.Walks, min(moreWalks*t.Walks, t.Walks*t.WalkSteps/(4*steps)))
}

// Shortest returns the number of steps of the shortest walks of the test.
func (t Test) Shortest() int {
	if t.Recovery == 0 {
		return min(t.WalkSteps, isolateSteps)
	}
	return min(t.longest(), max(min(shortest, t.WalkSteps), recoveries*t.Recovery))
}

// longest returns the number of steps of the longest walks, except for the single walk at the end.
func (t Test) longest() int {
	if t.Hopeless {
		return t.MaxWalkSteps
	}
	return max(t.WalkSteps, min(t.MaxWalkSteps, recoveryMost*t.Recovery))
}

// Cost returns how many steps the test takes if no walk becomes live or ends early.
func (t Test) Cost() (steps int) {
	for _, r := range t.Rounds() {
		steps += r.Walks * r.Steps
	}
	return steps
}
