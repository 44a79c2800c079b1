// Package search is the room of strategies: it decides which runs of a system
// are worth taking, and says honestly what they showed.
//
// A strategy only supplies answers. One loop, in run.go, evaluates every state
// that any of them reaches: safety properties, step properties, liveness, the
// proof that the service is deterministic. Two strategies stand here: the
// reference engine enumerates all runs to a bound by re-executing each from
// its start, slow and simple, the oracle for every faster engine; the walk
// takes long random runs in place.
//
// A Result says what was found, or within what bound nothing was, and why the
// search stopped. Every finding has been confirmed by plain re-execution
// before it is reported.
package search
