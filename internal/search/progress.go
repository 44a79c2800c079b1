package search

import (
	"time"

	"macemc/internal/canon"
)

// clock reads the wall clock, for the time that a result reports. It decides nothing.
var clock = time.Now

// Phase is a part of a search's work.
type Phase string

// The phases. Progress.Done and Progress.Of count the things that the comment of the phase names.
const (
	PhaseStates    Phase = "states"    // states of a level whose steps were taken
	PhasePeriphery Phase = "periphery" // states of a level that were walked from
	PhaseSuspect   Phase = "suspect"   // nothing: whether a run ends dead is decided
	PhaseLiveness  Phase = "liveness"  // states that can still recover, or not
	PhaseWalks     Phase = "walks"     // walks from the start
	PhasePrefixes  Phase = "prefixes"  // runs in steady state
)

// Progress is the progress of a search.
type Progress struct {
	Stats
	Phase    Phase
	Done, Of int // the number Of is 0 if it is not known
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

// measured returns the time and memory that the search has used so far.
func (r *runner) measured() Measured {
	return Measured{
		Elapsed: clock().Sub(r.began), CPU: max(0, Processor()-r.spent), Memory: uint64(r.Limits.Highest()),
		Slow: canon.Slow(),
	}
}
