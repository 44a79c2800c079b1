// Package transactions is two-phase commit whose participants are replicated services: each is a
// learner of chain replication, or of the abstraction of replication.
//
// The coordinator asks each participant to prepare, as a client asks a service, and then sends its
// decision to all of them. A participant that is replicated does not fail as long as one of its
// replicas is up: if a replica is down, the coordinator asks the next one.
package transactions
