package work

import (
	"cmp"
	"iter"

	"macemc/internal/search/internal/walk"
)

// Stats holds the counts of a search. They are the same for the same seed.
type Stats struct {
	Engine      string
	Uncopied    string      // why nodes cannot be copied, if the search therefore used another engine than the one requested
	Cloned      bool        // nodes were copied by System.Clone
	Paths       int         // runs that were taken from a start to an end, by the exhaustive phase or as walks
	Walks       int         // random walks
	WalksCut    int         // walks of Walks that ended in an ignored failure
	Masked      int         // walks that met a failure that was already known
	Detours     int         // number of times that such walks went around the known failure
	Waited      walk.Waited // faults of walks that waited for a certain moment, and those for which the moment came
	Manners     Manners     // walks of each manner of picking events, if there were several manners
	Ended       int         // walks that ended with their storm of faults, and were not judged for liveness
	Healed      int         // walks that healed after their storm, and were judged for liveness
	Restarted   int         // walks that began at a state of the corpus
	Kept        int         // states in the corpus at the end
	WalkSteps   int         // steps of walks, without those taken to examine how walks ended
	StormSteps  int         // steps of WalkSteps in storms
	HealSteps   int         // steps of WalkSteps after storms
	Steps       int         // steps taken in all, including repeated ones
	Judging     int         // steps of Steps taken to decide about suspected walks
	Settled     int         // states visited to decide about suspected walks
	States      int         // distinct states that the exhaustive phase visited
	Transitions int         // possible transitions from distinct states: an event with the answers that it gets
	Executed    int         // transitions that were taken in the world or looked up, including those to known states; engine reference counts one each time
	HandlerRuns int         // engine memo: handlers that were run; the results of all other steps were looked up
	Dear        uint64      // engine memo: one bit for each node whose handlers were always run, since their results could rarely be looked up
	Unpacked    string      // why nodes were kept unpacked that should have been packed, or ""
	Unreduced   string      // why no steps were left out although the options asked for that, or ""
	Reduced     bool        // steps were left out
	Whole       int         // with a reduction: states whose steps were all taken before the reduction began
	Parted      int         // with a reduction: states some of whose steps were left out
	Entire      int         // with a reduction: states of which no step was left out, because that was unsound or the steps that suffice were all that were possible
	Hindered    int         // those states of Entire to which the most frequent reason applies
	Hindrance   string      // the most frequent reason why no step was left out
	Voided      int         // states of Parted whose other steps were taken later, because of a new observation
	Cycles      int         // states of Parted whose other steps were taken later, so that no step is put off for ever
	Traces      int         // with dpor: runs that were taken to their ends, one for each order of dependent steps
	Asleep      int         // with dpor: runs that were cut, since another run had taken their steps in another order
	Slept       int         // with sleep sets: steps that were not taken, since another order of them was
	Woken       int         // with sleep sets: states of which steps were taken later that had been left out
	Commuted    int         // pairs of a left-out step and a taken step that were taken in both orders, as a check
	Symmetric   string      // the interchangeable nodes, if only one of the states that differ by their names was visited; "" if all were
	Asymmetric  string      // why all states were visited although the options asked to visit one for all names of the nodes, or ""
	Renamed     int         // states that were compared, as a check, with copies in which nodes are renamed
	Spilled     int         // states that were on disk at the end
	SpilledTo   int64       // the size of those states in bytes
	Collision   float64     // an upper bound on the probability that some state was mistaken for a known one
	Duplicates  int         // transitions of Executed that led to a known state
	Compared    int         // duplicates that were checked by taking both runs to the state again
	Audited     int         // runs that were taken twice, in lockstep
	Suspects    int         // walks that did not become live in time although their last state can still become live
	Depth       int         // the exhaustive phase completed all rounds to this depth
	Periphery   Periphery
}

// Periphery counts the states in which the rounds of the exhaustive phase ended, and the walks that
// began at them.
type Periphery struct {
	States int // states that were not known to be live
	Walked int // walks from these states
	Steps  int // steps of these walks
}

// Explain replaces each text of s that says why something was not done by the result of change.
func (s *Stats) Explain(change func(string) string) {
	s.Unreduced, s.Asymmetric = change(s.Unreduced), change(s.Asymmetric)
}

// Add adds the counts in o to those in s. A flag is set if it is set in o. Any other field that is not
// a count gets the value of s or of o that is not zero.
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

// One returns the counts of a single walk, which was of manner m.
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
