package explore

import (
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// Owner is the part of the search that an exploration needs. Its creator sets the fields. During an
// exploration only the counts and the share change; they belong to the exploring goroutine.
type Owner struct {
	*run.Runs
	Counts   Counts
	Share    *run.Share        // counts how much of the work was audited
	Coverage *observe.Coverage // nil if nothing is covered
	Sampler  sampler           // nil if no states are sampled

	Few     int                                                        // the largest number of faults in an explored run; 0 means that only the budgets limit it
	Several bool                                                       // the search may want more findings, so a failure is recorded and the exploration goes on
	Note    func(x *Explorer, failure *trace.Failure, dead bool) error // records a failure, or returns ErrEnough

	Halt     func() bool    // reports whether to stop at once, even in the middle of a state
	Depth    func() int     // returns the depth of the states that are being expanded
	Progress func(done int) // called with the progress of long work

	Seed  uint64
	All   bool // look up every step, for tests
	Worth int  // see worthRuns, for tests; 0 means worthRuns
	Once  bool // do not repeat the steps of a small space, for tests
}

// Counts points to the counters of the search.
type Counts struct {
	Steps, States, Transitions, Executed, HandlerRuns, Duplicates, Compared *int
}

// ran counts a step that the world took. If looks is true, the results of other steps are looked
// up, and this one counts as a handler run.
func (c *Counts) ran(looks bool) {
	if *c.Steps++; looks {
		*c.HandlerRuns++
	}
}

// handlerRun counts a handler that was run so that its result can be looked up later.
func (c *Counts) handlerRun() {
	*c.Steps++
	*c.HandlerRuns++
}

// transition counts a step between two states, whether the world took it or it was looked up.
func (c *Counts) transition() {
	*c.Executed++
	*c.Transitions++
}

// state counts a new state.
func (c *Counts) state() { *c.States++ }

// duplicate counts a step to a known state.
func (c *Counts) duplicate() { *c.Duplicates++ }

// dropped counts n states as duplicates that were counted as new but turned out to be known.
func (c *Counts) dropped(n int) { *c.States, *c.Duplicates = *c.States-n, *c.Duplicates+n }

// compared counts a test in which two runs to the same state were compared.
func (c *Counts) compared() { *c.Compared++ }

// sampler collects a sample of the new states of a space, for its profile.
type sampler interface {
	// Due counts a new state, and reports whether it should be looked at.
	Due(depth int) bool
	// Look records the lines of a state's text, once exact and once as shown to people.
	Look(depth int, lines, shown []canon.Line)
	// Hold records the lines of the state's text that show times.
	Hold(fields []canon.Line)
}
