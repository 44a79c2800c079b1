package search

import "macemc/search/internal/run"

// Stop is why a search stopped.
type Stop = run.Stop

// The reasons to stop.
const (
	StopFound       = run.StopFound
	StopDone        = run.StopDone        // the space was exhausted
	StopDepth       = run.StopDepth       // the bound on depth was reached
	StopPaths       = run.StopPaths       // the number of paths was reached
	StopMemory      = run.StopMemory      // the memory that it may have was used up
	StopTime        = run.StopTime        // the time that it may take was over, before its bound
	StopSpent       = run.StopSpent       // the time was over, after the walks that are taken by default
	StopInterrupted = run.StopInterrupted // the caller stopped it
	StopKilled      = run.StopKilled      // its process was ended
	StopQuarantined = run.StopQuarantined // walks were left out, since they end the processes that take them
)
