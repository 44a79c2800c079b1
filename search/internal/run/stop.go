package run

// Stop is why a search stopped.
type Stop string

// The reasons to stop.
const (
	StopFound       Stop = "found"
	StopDone        Stop = "done"   // the space was exhausted
	StopDepth       Stop = "depth"  // the bound on depth was reached
	StopPaths       Stop = "paths"  // the number of paths was reached
	StopMemory      Stop = "memory" // the memory that it may have was used up
	StopTime        Stop = "time"   // the time that it may take was over, before its bound
	StopSpent       Stop = "spent"  // the time was over, after the walks that are taken by default
	StopInterrupted Stop = "interrupted"
	StopKilled      Stop = "killed"      // its process was ended
	StopQuarantined Stop = "quarantined" // walks were left out, since they end the processes that take them
)

// Early reports whether the search stopped before its bound.
func (s Stop) Early() bool {
	return s.AtOnce() || s == StopMemory || s == StopKilled || s == StopQuarantined
}

// AtOnce reports whether nothing more is to be tried.
func (s Stop) AtOnce() bool { return s == StopInterrupted || s == StopTime }
