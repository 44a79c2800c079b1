// Package election is a failure detector and a leader election over it, as state machines.
//
// The leader is the node of the lowest rank that is up. A node asks the lowest one that it
// does not know to be down whether it is there. If that answers, it is the leader; if the connection
// to it fails, it is down, and the next one is asked. A node that knows all below it to be down
// leads, and says so to all above it.
//
// # What is promised
//
// No two nodes lead, and all come to agree. Both need that a connection only fails where the other
// end is down: there are faults of down, and no resets or partitions.
package election
