// Package election is a failure detector, and a leader election that uses it, as state machines.
//
// The leader is the node of the lowest rank that is up. A node asks the lowest node that it does
// not know to be down whether it is there. If that one answers, it is the leader; if the connection
// to it fails, it is down, and the node asks the next one. A node that knows all nodes below it to
// be down leads, and announces that to all nodes above it.
//
// # What is promised
//
// No two nodes lead, and all come to agree. Both promises need that a connection fails only if the
// other end is down. So there are faults of down, and no resets or partitions.
package election
