// Package collections is a hash table and a list as replicated services, with their clients.
//
// The clients are checked over an abstraction: a single node that does not fail and answers in any
// order (over=single). When they run for real, they use a dispatcher, and chain replication or
// Multi-Paxos, whose replicas may fail: see package replicated. refine.Binding checks that these do
// nothing that the abstraction cannot do.
package collections
