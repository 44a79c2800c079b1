// Package transactions is two-phase commit whose participants are replicated services: each
// participant is a learner of chain replication, of Multi-Paxos, or of the abstraction of
// replication.
//
// The coordinator asks each participant to prepare, as a client asks a service, and then sends its
// decision to all of them. A replicated participant does not fail as long as enough of its replicas
// are up: if a replica is down, the coordinator, or the participant's dispatcher, asks the next
// one.
package transactions
