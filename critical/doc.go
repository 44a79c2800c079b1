// Package critical explains a run that failed: it makes the run short, finds the critical step, and
// finds the nearest run that recovers. The critical step is the last step before which the run could
// recover, and after which it could not. To recover is to reach a state in which all liveness
// properties hold; for a run that ends in another failure than a dead state, it is to go on without
// that failure.
//
// The command macemc explains every finding in this way. This package is for programs that have a
// recorded path and want the same.
package critical
