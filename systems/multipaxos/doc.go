// Package multipaxos is Multi-Paxos, as state machines: a log of slots, each of which is decided by
// Paxos, with one phase of promises for all of them. With --param slots=1 it is basic Paxos.
//
// # The story
//
// A proposer that gets a request prepares a ballot of its own: it asks the acceptors for
// promises. With the promises of a majority it leads. It proposes the values that these
// acceptors have accepted once more, in its own ballot, and puts empty commands into the holes between;
// then it proposes the requested values, each in a slot of its own. A value that a majority has
// accepted is decided, and the proposer sends it to the learners. An acceptor that has promised
// a higher ballot refuses, and the proposer waits before it prepares the next one. The learners
// apply the decided values in the order of the slots.
//
// # What is promised
//
// In a slot no two values are chosen, only proposed values are chosen, and the learners' logs agree.
// If fewer than half of the acceptors go down, every value is learnt, unless its proposer has used
// up its ballots.
//
// # Replicas
//
// NewReplica makes a node that is proposer, acceptor and learner, for services that use Multi-Paxos.
//
// # Known limits
//
// The number of ballots of a proposer is limited, so that the space is finite. Acceptors do not
// restart, and keep the whole log: for storage see systems/storage and systems/wal. systems/paxos is another basic
// Paxos, message by message, as papers count it.
package multipaxos
