package search

import "macemc/internal/search/internal/run"

// Stop is the reason why a search stopped.
type Stop string

// The reasons why a search stops.
const (
	StopFound       Stop = "found"
	StopDone        Stop = "done"         // no state or run is left to visit
	StopDepth       Stop = "depth"        // the bound on depth was reached
	StopPaths       Stop = "paths"        // the number of paths was reached
	StopMemory      Stop = run.StopMemory // the memory limit was reached
	StopTime        Stop = "time"         // the time was over before the bound was reached
	StopSpent       Stop = "spent"        // the time was over, and at least the default number of walks had been taken
	StopInterrupted Stop = "interrupted"  // the caller stopped it
	StopKilled      Stop = "killed"       // the process of the search ended
	StopQuarantined Stop = "quarantined"  // walks were left out, since they ended every process that took them
)

// Early reports whether the search stopped before its bound.
func (s Stop) Early() bool {
	return s.AtOnce() || s == StopMemory || s == StopKilled || s == StopQuarantined
}

// AtOnce reports whether the search stops without trying anything more.
func (s Stop) AtOnce() bool { return s == StopInterrupted || s == StopTime }

// reasons converts stop to the type that run.Limits needs. It returns nil if stop is nil.
func reasons(stop func() Stop) func() string {
	if stop == nil {
		return nil
	}
	return func() string { return string(stop()) }
}

// Why returns the reason why the search should stop, or "".
func (h *hand) Why() Stop { return Stop(h.Runs.Why()) }
