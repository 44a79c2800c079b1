// Package commit is two-phase commit of state machines, one transaction after the other.
//
// The first node coordinates. It asks the participants to prepare, and decides when all have voted, one
// has voted no, one is down, or it has waited long enough; it begins the next transaction when
// all that are up have done as it decided. A participant that has voted yes waits for the decision, as
// long as that takes: two-phase commit blocks when its coordinator is down.
package commit
