package search

import (
	"time"

	"macemc/internal/canon"
)

// clock reads the wall clock, for the time that a result reports. It decides nothing.
var clock = time.Now

// Phase is a part of a search's work.
type Phase string

// The phases. Each comment says what Progress.Done and Progress.Of count.
const (
	PhaseStates    Phase = "states"    // states of a level whose steps were taken
	PhasePeriphery Phase = "periphery" // states of a level from which walks were taken
	PhaseSuspect   Phase = "suspect"   // nothing, while it is decided whether a run ends dead
	PhaseLiveness  Phase = "liveness"  // states that were decided to be able to recover, or not
	PhaseWalks     Phase = "walks"     // walks from the start
	PhasePrefixes  Phase = "prefixes"  // prefixes found
)

// Progress is the progress of a search.
type Progress struct {
	Stats
	Phase    Phase
	Done, Of int // 0 in Of means that it is not known
	Level    int // the depth at which the phase works
	Memory   int // bytes of the process when they were last measured
}

// gauge records the progress of a search, and reports it.
type gauge struct {
	told     func(Progress) // called with the progress; may be nil
	memory   func() int
	phase    Phase
	level    int
	done, of int
}

// begin begins a phase. level is the depth of the states that the phase works on, and of is the
// number of its items, such as states or walks. The returned function goes back to the previous
// phase.
func (g *gauge) begin(p Phase, level, of int) (back func()) {
	before := *g
	g.phase, g.level, g.done, g.of = p, level, 0, of
	return func() { *g = before }
}

// goesTo raises the number of items of the phase to of. It does nothing if the number is larger
// already.
func (g *gauge) goesTo(of int) { g.of = max(g.of, of) }

// at records how much of the phase is done, and reports the progress with the counts.
func (g *gauge) at(done int, counted func() Stats) {
	g.done = done
	if g.told != nil {
		g.told(Progress{Stats: counted(), Phase: g.phase, Level: g.level, Done: done, Of: g.of, Memory: g.memory()})
	}
}

// at records how many items of the phase are done, and calls Options.Progress with the progress.
func (r *runner) at(done int) { r.gauge.at(done, r.now) }

// tell reports the progress again, with the present counts.
func (r *runner) tell() { r.gauge.at(r.gauge.done, r.now) }

// measured returns the time and memory that the search has used so far.
func (r *runner) measured() Measured {
	return Measured{
		Elapsed: clock().Sub(r.began), CPU: max(0, Processor()-r.spent), Memory: uint64(r.Limits.Highest()),
		Slow: canon.Slow(),
	}
}
