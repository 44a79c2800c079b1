package work

import (
	"cmp"
	"iter"

	"macemc/internal/search/internal/walk"
)

// Stats has the counts of a search. They are the same for the same seed.
type Stats struct {
	Engine      string
	Uncopied    string // why nodes cannot be copied, where that is why another engine was taken than asked for
	Cloned      bool   // nodes were copied by System.Clone
	Paths       int    // runs from a start to an end: exhaustive ones and walks
	Walks       int
	WalksCut    int     // of these, those that ended in a failure that is ignored
	Manners     Manners // of these, by manner, where they were taken in several
	Ended       int     // of these, those that ended with their storm, and were not judged for liveness
	Healed      int     // and those that healed from it, and were
	Restarted   int     // of these, those that began at a kept state
	Kept        int     // states at which walks could begin, at the end
	WalkSteps   int     // steps of the walks, without what looked into their ends
	StormSteps  int     // of these, those in storms
	HealSteps   int     // and those behind them
	Steps       int     // steps taken, repeated ones included
	Judging     int     // of these, steps that deciding about suspects took
	Settled     int     // and states that were visited for that
	States      int     // distinct states that the exhaustive phase visited
	Transitions int     // enabled (event, answers) pairs over distinct states
	Executed    int     // transitions that were executed, known ones included
	HandlerRuns int     // memo engine: handlers that were run, all others were looked up
	Dear        uint64  // memo engine: nodes whose steps were not looked up, since most had to be run; one bit each
	Unpacked    string  // why nodes were kept as they are that should have been packed; "" if none was
	Unreduced   string  // why no steps were left out, where that was asked for
	Reduced     bool    // steps were left out where others stand for them:
	Whole       int     // states of which all steps were taken, until that began to pay
	Parted      int     // states of which steps were left out,
	Entire      int     // states of which no step was left out, since that was not sound or no step was left,
	Hindered    int     // of these, those for which the most frequent reason holds,
	Hindrance   string  // which is this one
	Voided      int     // of those of which steps were left out, those whose other steps were taken since an observation was new,
	Cycles      int     // and those for which it was needed that no step is left out for ever
	Traces      int     // by dpor: runs that were taken to their ends, one for each order of dependent steps
	Asleep      int     // and runs that ended since another one had taken their steps in another order
	Slept       int     // steps that were not taken, since they slept,
	Woken       int     // and states that were taken up again, since less slept there than at first
	Commuted    int     // pairs of a step that was left out and one that was taken, which were taken in both orders
	Symmetric   string  // the nodes up to whose names states were visited; "" if every state was
	Asymmetric  string  // why every state was, where something else was asked for
	Renamed     int     // states that were compared with renamed ones
	Spilled     int     // states that were on disk in the end
	SpilledTo   int64   // bytes of them
	Collision   float64 // the probability that some state was wrongly taken for a known one is below this
	Duplicates  int     // executed transitions that led to a known state
	Compared    int     // of those, how many were tested by taking both runs to the state again
	Audited     int     // paths that were run twice, in lockstep
	Suspects    int     // walks that did not become live, but whose end can
	Depth       int     // rounds completed to this depth
	Periphery   Periphery
}

// Periphery counts the states at the ends of rounds, beyond which the exhaustive phase had not gone
// yet, and the walks that began at them.
type Periphery struct {
	States int // that were not known to be live
	Walked int // of them
	Steps  int // that these walks took
}

// Explain changes the texts that say why something was not done.
func (s *Stats) Explain(change func(string) string) {
	s.Unreduced, s.Asymmetric = change(s.Unreduced), change(s.Asymmetric)
}

// Add adds the counts of another part of the search. A field that is no count gets o's value, if
// that is not zero.
func (s *Stats) Add(o Stats) {
	s.Engine, s.Uncopied = cmp.Or(o.Engine, s.Engine), cmp.Or(o.Uncopied, s.Uncopied)
	s.Unpacked = cmp.Or(s.Unpacked, o.Unpacked)
	s.Cloned = s.Cloned || o.Cloned
	s.Unreduced, s.Reduced = cmp.Or(s.Unreduced, o.Unreduced), s.Reduced || o.Reduced
	s.Symmetric, s.Asymmetric = cmp.Or(s.Symmetric, o.Symmetric), cmp.Or(s.Asymmetric, o.Asymmetric)
	s.Renamed += o.Renamed
	s.Traces += o.Traces
	s.Spilled, s.SpilledTo = s.Spilled+o.Spilled, s.SpilledTo+o.SpilledTo
	s.Asleep += o.Asleep
	s.Slept += o.Slept
	s.Woken += o.Woken
	s.Whole += o.Whole
	s.Parted += o.Parted
	s.Entire, s.Hindered, s.Hindrance = s.Entire+o.Entire, s.Hindered+o.Hindered, cmp.Or(s.Hindrance, o.Hindrance)
	s.Voided += o.Voided
	s.Cycles += o.Cycles
	s.Commuted += o.Commuted
	s.Kept, s.Depth, s.Collision = cmp.Or(o.Kept, s.Kept), cmp.Or(o.Depth, s.Depth), cmp.Or(o.Collision, s.Collision)
	s.Dear |= o.Dear
	s.Paths += o.Paths
	s.Walks += o.Walks
	s.WalksCut += o.WalksCut
	for k, n := range o.Manners {
		s.Manners[k] += n
	}
	s.Ended += o.Ended
	s.Healed += o.Healed
	s.StormSteps += o.StormSteps
	s.HealSteps += o.HealSteps
	s.Restarted += o.Restarted
	s.WalkSteps += o.WalkSteps
	s.Steps += o.Steps
	s.Judging += o.Judging
	s.Settled += o.Settled
	s.States += o.States
	s.Transitions += o.Transitions
	s.Executed += o.Executed
	s.HandlerRuns += o.HandlerRuns
	s.Duplicates += o.Duplicates
	s.Compared += o.Compared
	s.Audited += o.Audited
	s.Suspects += o.Suspects
	s.Periphery.States += o.Periphery.States
	s.Periphery.Walked += o.Periphery.Walked
	s.Periphery.Steps += o.Periphery.Steps
}

// Effort returns the number of steps and states of the search, without the steps that deciding
// about suspects took.
func (s *Stats) Effort() int { return s.Steps + s.States - s.Judging }

// Manners has the number of walks of each manner, by the number of the manner.
type Manners [walk.Manners]int

// One returns the count of one walk of a manner.
func One(m walk.Manner) (manners Manners) {
	manners[m] = 1
	return manners
}

// All yields the manners of which there were walks, with how many.
func (m Manners) All() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for k, n := range m {
			if n > 0 && !yield(walk.Manner(k).String(), n) {
				return
			}
		}
	}
}
