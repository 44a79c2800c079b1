package work

import (
	"cmp"
	"iter"

	"macemc/internal/search/internal/walk"
)

// Stats holds the counts of a search. They are the same for the same seed.
type Stats struct {
	Engine      string
	Uncopied    string // why nodes cannot be copied, if another engine than the one asked for was therefore used
	Cloned      bool   // nodes were copied by System.Clone
	Paths       int    // runs from a start to an end: exhaustive ones and walks
	Walks       int
	WalksCut    int         // of these, runs that ended in an ignored failure
	Masked      int         // of these, walks that met a failure that was known,
	Detours     int         // and how often they went around one
	Waited      walk.Waited // faults of theirs that waited for a moment, and those for which it came
	Manners     Manners     // of these, walks of each manner, if there were several manners
	Ended       int         // of these, walks that ended with their storm, and were not judged for liveness
	Healed      int         // of these, walks that healed after their storm, and were judged
	Restarted   int         // of these, walks that began at a kept state
	Kept        int         // states in the corpus at the end
	WalkSteps   int         // steps of walks, without those that examined their ends
	StormSteps  int         // of these, those in storms
	HealSteps   int         // of these, those after storms
	Steps       int         // steps taken, including repeated ones
	Judging     int         // of these, steps to decide about suspects
	Settled     int         // states visited to decide about suspects
	States      int         // distinct states that the exhaustive phase visited
	Transitions int         // enabled (event, answers) pairs over distinct states
	Executed    int         // transitions that were executed, including those to known states
	HandlerRuns int         // memo engine: handler runs; all other steps were looked up
	Dear        uint64      // memo engine: nodes whose steps were not looked up, since most had to be run; one bit each
	Unpacked    string      // why nodes were kept unpacked that should have been packed, or ""
	Unreduced   string      // why no steps were left out although that was asked for, or ""
	Reduced     bool        // steps were left out
	Whole       int         // states whose steps were all taken before the reduction began
	Parted      int         // states of which steps were left out
	Entire      int         // states of which no step was left out, since that was not sound or no step was left,
	Hindered    int         // of these, those for which the most frequent reason holds,
	Hindrance   string      // which is this one
	Voided      int         // of those of which steps were left out, those whose other steps were taken since an observation was new,
	Cycles      int         // of these, states whose other steps were taken later so that no step is left out for ever
	Traces      int         // with dpor: runs that were taken to their ends, one for each order of dependent steps
	Asleep      int         // with dpor: runs that were cut, since another run had taken their steps in another order
	Slept       int         // with sleep: steps that were not taken
	Woken       int         // with sleep: states of which steps were taken that woke later
	Commuted    int         // pairs of a left-out step and a taken step that were taken in both orders, as a check
	Symmetric   string      // the interchangeable nodes, of whose states only one for all names was visited; "" if every state was
	Asymmetric  string      // why every state was visited although the option asked for fewer, or ""
	Renamed     int         // states that were compared with renamed copies
	Spilled     int         // states that were on disk at the end
	SpilledTo   int64       // the size of those states in bytes
	Collision   float64     // an upper bound on the probability that some state was mistaken for a known one
	Duplicates  int         // executed transitions that led to a known state
	Compared    int         // of these, steps that were tested by taking both runs to the state again
	Audited     int         // runs that were taken twice, in lockstep
	Suspects    int         // walks that did not become live although their end can
	Depth       int         // all rounds to this depth were completed
	Periphery   Periphery
}

// Periphery counts the states at the ends of rounds, and the walks that began at them.
type Periphery struct {
	States int // states that were not known to be live
	Walked int // walks from these states
	Steps  int // steps of these walks
}

// Explain applies change to the texts that say why something was not done.
func (s *Stats) Explain(change func(string) string) {
	s.Unreduced, s.Asymmetric = change(s.Unreduced), change(s.Asymmetric)
}

// Add adds the counts of another part of the search. A field that is not a count gets the value of
// o, unless that is zero.
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
	s.Masked += o.Masked
	s.Waited.Add(&o.Waited)
	s.Detours += o.Detours
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

// Effort returns the number of steps and states of the search, without the steps to decide about
// suspects.
func (s *Stats) Effort() int { return s.Steps + s.States - s.Judging }

// Manners holds the number of walks of each manner.
type Manners [walk.Manners]int

// One returns a count of one walk of a manner.
func One(m walk.Manner) (manners Manners) {
	manners[m] = 1
	return manners
}

// All yields the names of the manners of which there were walks, with the number of walks.
func (m Manners) All() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for k, n := range m {
			if n > 0 && !yield(walk.Manner(k).String(), n) {
				return
			}
		}
	}
}
