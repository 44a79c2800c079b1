// Package collections is a hash table and a list as replicated services, with their clients.
//
// The clients are checked over an abstraction, a single node that does not fail and answers in any
// order (over=single). They run through a dispatcher and over chain replication or Multi-Paxos, of which replicas may fail: see package
// replicated. That these do nothing that the abstraction cannot do is checked by refine.Binding.
package collections
