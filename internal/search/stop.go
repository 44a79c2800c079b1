package search

import "macemc/internal/search/internal/run"

// Stop is why a search stopped.
type Stop string

// The reasons to stop.
const (
	StopFound       Stop = "found"
	StopDone        Stop = "done"         // the space was exhausted
	StopDepth       Stop = "depth"        // the bound on depth was reached
	StopPaths       Stop = "paths"        // the number of paths was reached
	StopMemory      Stop = run.StopMemory // the memory that it may have was used up
	StopTime        Stop = "time"         // the time that it may take was over, before its bound
	StopSpent       Stop = "spent"        // the time was over, after the walks that are taken by default
	StopInterrupted Stop = "interrupted"  // the caller stopped it
	StopKilled      Stop = "killed"       // its process was ended
	StopQuarantined Stop = "quarantined"  // walks were left out, since they end the processes that take them
)

// Early reports whether the search stopped before its bound.
func (s Stop) Early() bool {
	return s.AtOnce() || s == StopMemory || s == StopKilled || s == StopQuarantined
}

// AtOnce reports whether nothing more is to be tried.
func (s Stop) AtOnce() bool { return s == StopInterrupted || s == StopTime }

// reasons returns the function in the form that limits take; nil if stop is nil.
func reasons(stop func() Stop) func() string {
	if stop == nil {
		return nil
	}
	return func() string { return string(stop()) }
}

// Why returns why the search is to stop, or "" if it is not.
func (h *hand) Why() Stop { return Stop(h.Runs.Why()) }
