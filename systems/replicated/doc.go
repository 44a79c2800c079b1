// Package replicated composes a service of its parts: a dispatcher, and below it a protocol of
// replication or its abstraction.
//
//	clients -> dispatcher -> chain replication or Multi-Paxos -> learner
//
// Two parameters bind the parts. Searches let clients ask a single node (through=direct,
// over=single), which is the abstraction of all other parts. When a service runs for real, clients
// go through the dispatcher to replicas, unless the user says otherwise.
package replicated
