// Package multipaxos is Multi-Paxos of state machines: a log of slots, each of which is decided by
// Paxos, and one phase of promises for all of them. With --param slots=1 it is basic Paxos.
//
// # The story
//
// A proposer that is asked to propose prepares a ballot of its own: it asks the acceptors for promises.
// With those of a majority it leads: it has what they have accepted accepted again, in
// its own ballot, puts nothing into the holes between, and then the values that it was asked for, each
// into a slot of its own. A value that a majority has accepted is decided, and the learners are told. An
// acceptor that has promised a higher ballot refuses, and the proposer waits before it prepares the
// next one. The learners apply what is decided in the order of the slots.
//
// # What is promised
//
// In a slot no two values are chosen, only what was proposed is chosen, and the learners' logs agree.
// A value is learnt unless its proposer has spent its ballots, though fewer than half of the acceptors go down.
//
// # Known limits
//
// A proposer begins so many ballots at most, so that the space is finite. Acceptors do not restart: for
// storage see systems/storage and systems/wal. systems/paxos is another basic Paxos, message by message as papers count it.
package multipaxos
