// Package refine checks an implementation against its abstraction: every trace of the
// implementation at their interface must be a trace of the abstraction.
//
// The interface consists of the facts that nodes Emit. Check explores both systems, each
// with the faults that are given for it, and looks for a trace of the first that the second
// does not have. It returns a shortest one, with a run of the implementation that shows it.
// A client that is correct with the abstraction keeps its safety properties with an
// implementation that refines it, as far as it depends only on the interface.
//
// # What is decided
//
// Traces are finite, and every prefix of a trace is a trace. So refinement preserves safety
// and not liveness: an implementation that does nothing refines everything. If both spaces
// were exhausted, the answer is exact. An abstraction that was not exhausted is an error,
// since a trace that it seems to lack might need more states. For an implementation that
// was not exhausted, the answer covers what was explored.
//
// Included is the decision alone, for graphs.
package refine
