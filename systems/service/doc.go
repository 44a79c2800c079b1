// Package service defines a replicated service, for the protocols that replicate it and for the
// clients that ask it.
//
// Replication, by whichever protocol, behaves as one node that does not fail: that is the
// abstraction, which NewSingle makes. Clients are checked over it, and each protocol is checked to
// do nothing that it cannot do.
//
// A Learner is replicated by every protocol in the same way: a hash table, a list, a participant of
// two-phase commit. The protocols know nothing of its operations.
package service
