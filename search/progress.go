package search

import (
	"time"

	"macemc/internal/canon"
)

// clock is when the search began: the wall clock is measured here, and decides
// nothing.
var clock = time.Now

// Phase is what a search does at the moment.
type Phase string

// The phases. Done and Of of a Progress count what stands behind each.
const (
	PhaseStates    Phase = "states"    // states of a level whose steps were taken
	PhasePeriphery Phase = "periphery" // states of a level that were walked from
	PhaseSuspect   Phase = "suspect"   // nothing: whether a run ends dead is decided
	PhaseLiveness  Phase = "liveness"  // states that can still recover, or not
	PhaseWalks     Phase = "walks"     // walks from the start
	PhasePrefixes  Phase = "prefixes"  // runs in steady state
)

// Progress is how far a search is.
type Progress struct {
	Stats
	Phase    Phase
	Done, Of int // Of 0: nobody knows
	Level    int // the depth that the phase is about
	Memory   int // bytes of the process, at the last look
}

// gauge is the progress of a search.
type gauge struct {
	told     func(Progress) // nil if nobody is
	memory   func() int
	phase    Phase
	level    int
	done, of int
}

// begin begins a part of the search. The returned function returns to the previous part.
func (g *gauge) begin(p Phase, level, of int) (back func()) {
	before := *g
	g.phase, g.level, g.done, g.of = p, level, 0, of
	return func() { *g = before }
}

// goesTo sets the amount of work of the part, if it is more than before.
func (g *gauge) goesTo(of int) { g.of = max(g.of, of) }

// at records how much of the part is done, and reports the progress with the counts.
func (g *gauge) at(done int, counted func() Stats) {
	g.done = done
	if g.told != nil {
		g.told(Progress{Stats: counted(), Phase: g.phase, Level: g.level, Done: done, Of: g.of, Memory: g.memory()})
	}
}

// at reports the progress of the phase. The receiver decides how often it is shown.
func (r *runner) at(done int) { r.gauge.at(done, r.now) }

// tell reports the progress again, with the present counts.
func (r *runner) tell() { r.gauge.at(r.gauge.done, r.now) }

// measured returns what the search took so far.
func (r *runner) measured() Measured {
	return Measured{
		Elapsed: clock().Sub(r.began), CPU: max(0, Processor()-r.spent), Memory: uint64(r.Limits.Highest()),
		Slow: canon.Slow(),
	}
}
