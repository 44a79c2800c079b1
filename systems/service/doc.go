// Package service says what a replicated service is, for the protocols that replicate and for the clients that ask.
//
// Replication, whichever protocol does it, behaves as one node that does not fail: the abstraction
// that NewSingle makes. Clients are checked over it, and each protocol is checked to be no worse.
//
// What is replicated is a Learner, which is the same everywhere: a hash table, a list, a participant of two-phase
// commit. The protocols know nothing of its operations.
package service
