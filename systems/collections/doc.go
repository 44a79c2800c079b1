// Package collections is a hash table and a list as replicated services, with their clients.
//
// The clients are checked over an abstraction of replication, a single node that does not fail and answers in any
// order (over=single), and run over chain replication (over=chain), of which the replicas may fail. That chain
// replication does nothing that the abstraction cannot do is checked by refine.Check.
package collections
