package world

import (
	"macemc/internal/spec"
	"macemc/sim"
	"macemc/trace"
)

// note is a message of tests that put messages into a bank by hand.
type note int

// random returns the random service of a seed, and how its environment misbehaves.
func random(seed uint64) (*sim.System, Config) {
	s := spec.Busy(seed)
	faults := s.Faults()
	return s.System(), Config{Conditions: sim.Conditions{
		Network: s.Links(), Faults: &faults, Early: s.Early, DiskReorder: s.AnyOrder, FreeTimers: s.FreeTimers, CrashWithin: s.Midstep,
	}}
}

// unexpected reports whether a run of a random service failed in a way that such services do not fail in by
// design.
func unexpected(f *trace.Failure) bool {
	return f != nil && f.Verdict != trace.VerdictSafety && f.Message != spec.Broken
}
