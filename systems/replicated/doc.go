// Package replicated composes a service of its parts: a dispatcher, and what the service stands on, which is a
// protocol of replication or its abstraction.
//
//	clients -> dispatcher -> chain replication or Multi-Paxos -> learner
//
// Two parameters bind the parts. By default clients ask a single node (through=direct, over=single), which is
// the abstraction of all that: so they are searched. They run through the dispatcher and over replicas, unless the user says otherwise.
package replicated
