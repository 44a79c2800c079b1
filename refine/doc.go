// Package refine checks an implementation against its abstraction: every trace at their interface
// that the implementation has must be one of the abstraction's.
//
// The interface is what nodes Emit. Check explores both systems, each with the faults that are
// given, and looks for a trace of the first that the second does not have. It returns a
// shortest one, with the run of the implementation that shows it. A client that is correct over the
// abstraction keeps its safety properties over an implementation that refines it, as far as it knows
// that by the interface.
//
// # What is decided
//
// Traces are finite, and every prefix of a trace is one: so refinement keeps safety and says nothing of
// liveness, which an implementation that does nothing lacks. If both spaces were exhausted the answer is exact. An abstraction that
// was not is an error, since a trace that it seems to lack might lie beyond. An
// implementation that was not is said to be included as far as it was explored.
//
// # Hot for ever
//
// Forever takes a monitor of the same facts, which is hot or cold, and looks for a fair run of a system that is
// hot for ever from some point on. It is exact, on spaces that are exhausted. Fairness is weak for each head of a
// channel, each task and each timer, strong for the choices that are named; faults, requests of the script and guarded
// actions need not happen. sim.Eventually asks less: that a state can still be reached, and not that every fair run
// reaches it.
//
// Included is the decision alone, on graphs.
package refine
