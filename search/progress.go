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

// phase begins a part of the search.
func (r *runner) phase(p Phase, level, of int) {
	r.progress.Phase, r.progress.Level, r.progress.Done, r.progress.Of = p, level, 0, of
}

// at tells how far the phase is.
func (r *runner) at(done int) {
	r.progress.Done = done
	r.tell()
}

// during is another phase for as long as something takes.
func (r *runner) during(p Phase) (end func()) {
	before := r.progress
	r.phase(p, before.Level, 0)
	r.tell()
	return func() { r.progress = before }
}

// tell reports progress. Who is told decides how often it is shown.
func (r *runner) tell() {
	if r.opts.Progress != nil {
		r.progress.Stats = r.stats
		r.progress.Memory = r.Limits.Memory()
		r.opts.Progress(r.progress)
	}
}

// tellOf is tell where several count together.
func (r *runner) tellOf(sum Stats, done int) {
	if r.opts.Progress != nil {
		p := r.progress
		p.Stats, p.Done, p.Memory = sum, done, r.Limits.Memory()
		r.opts.Progress(p)
	}
}

// measured is what the search took so far.
func (r *runner) measured() Measured {
	return Measured{
		Elapsed: clock().Sub(r.began), CPU: max(0, Processor()-r.spent), Memory: uint64(r.Limits.Highest()),
		Slow: canon.Slow(),
	}
}
