// Package transactions is two-phase commit whose participants are replicated services: each is a
// learner of chain replication, or of the abstraction of replication.
//
// The coordinator asks each participant to prepare, as a client asks a service, and then tells all
// of them its decision. A participant that is replicated does not fail as long as one of its replicas is up: the
// coordinator asks the next replica where one is down.
package transactions
