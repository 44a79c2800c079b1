package explore

import (
	"macemc/internal/canon"
	"macemc/internal/observe"
	"macemc/internal/search/internal/run"
	"macemc/trace"
)

// Owner is the part of the search that exploring needs. Its creator sets the fields, and
// changes nothing during an exploration; the counts and the share belong to the exploring
// goroutine meanwhile.
type Owner struct {
	*run.Runs
	Counts   Counts
	Share    *run.Share        // how much of the work was audited
	Coverage *observe.Coverage // nil if nothing is covered
	Sampler  sampler           // nil means nobody asked

	Few     int                                                        // faults that the explored runs have at most, or 0 if only the budgets limit them
	Several bool                                                       // more findings may be wanted: a failure is recorded, and the rest explored
	Note    func(x *Explorer, failure *trace.Failure, dead bool) error // notes it, or says that it is enough

	Halt     func() bool    // whether to stop, in the middle of a state
	Depth    func() int     // of the states that are expanded
	Progress func(done int) // called with the progress of long work

	Seed  uint64
	All   bool // every step is looked up, for tests
	Worth int  // runs that say whether a node is dear, for tests; 0 means worthRuns
	Once  bool // the steps of a small space are not taken again, for tests
}

// Counts has pointers to the counts of the search.
type Counts struct {
	Steps, States, Transitions, Executed, HandlerRuns, Duplicates, Compared *int
}

// ran counts a step that the world took, where others are looked up or not.
func (c *Counts) ran(looks bool) {
	if *c.Steps++; looks {
		*c.HandlerRuns++
	}
}

// handlerRun counts a step that the world took so that it can be looked up.
func (c *Counts) handlerRun() {
	*c.Steps++
	*c.HandlerRuns++
}

// transition counts a step between two states, however it was taken.
func (c *Counts) transition() {
	*c.Executed++
	*c.Transitions++
}

// state counts a new state.
func (c *Counts) state() { *c.States++ }

// duplicate counts a step to a known state.
func (c *Counts) duplicate() { *c.Duplicates++ }

// dropped takes back states that were counted as new, and were known.
func (c *Counts) dropped(n int) { *c.States, *c.Duplicates = *c.States-n, *c.Duplicates+n }

// compared counts a pair of runs to one state that were compared.
func (c *Counts) compared() { *c.Compared++ }

// sampler samples the new states of a space.
type sampler interface {
	// Due counts a state, and reports whether it is to be looked at.
	Due(depth int) bool
	// Look takes the state's lines, exact and as people read them.
	Look(depth int, lines, shown []canon.Line)
	// Hold sets which lines of it show times.
	Hold(fields []canon.Line)
}
