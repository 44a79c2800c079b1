// Package chain is chain replication of state machines, after van Renesse and Schneider.
//
// # The story
//
// The first node is a client, the others are replicas in a chain. The client sends its
// commands, one at a time, to the head, which numbers them; each replica appends a command to
// its history and sends it on to its successor; the tail answers the client, and acknowledges
// to its predecessor, which sends that on to the head. A replica keeps the commands that it has
// sent on and that are not acknowledged, and sends them again to its next successor when the
// present one goes down. A replica whose successors are all down is the tail, and answers for
// the commands that it has kept. The client asks the next replica when the head goes down, and
// asks again when the tail does.
//
// # What is promised
//
// The invariants of the paper: a replica's history is a prefix of its predecessor's, and what a replica knows to be
// acknowledged every replica has. No command is in a history twice, and every command is answered in the end.
//
// # Known limits
//
// Failures are detected by connections, so there are faults of down and no resets or partitions. Nobody joins the chain.
package chain
