// Package overcast is a tree of nodes that look for better places in it, after
// the Overcast of the MaceMC work: the moves of brokentree, decided by probes of
// bandwidth, and a distributed lock that is to keep loops away.
//
// # The story
//
// The first node is the root. A node that is asked to join asks the root. A node
// with room takes it; one without sends it on to one of its children, chosen at
// random, which the joiner asks next. From time to time the root sends its
// children their brothers and their grandparent, and they pass the like on. A
// child that hears of a place where it could be measures it:
//
//	n                              m, a brother of n or its grandparent
//	  lock: I am a child of papa  ->
//	                              <-  locked
//	  probe, probe                ->
//	                              <-  probed
//	  unlock, or join             ->
//	                              <-  (of a join) joinReply, or refused
//
// A node that is locked neither measures others nor moves, and one that moves
// cannot be locked; it is busy, and says so. A lock ends when its holder asks to
// join or unlocks, when its connection breaks, or after a while.
//
// # Readings of the original
//
// Its code was never published; this one is made from the papers, and
// from brokentree.
//
//   - Times are measured in the original, and a node moves up if it gets enough
//     more bandwidth there, and down if it does not lose too much. When it was
//     checked, the probes were sent, the times ignored and left out of the state,
//     and coins decided. So it is here: decide is where the times would be
//     compared, and nothing else depends on them. This version of the simulator
//     does not explore clocks, so none is read.
//   - A joiner goes down the tree itself instead of being sent on from node to
//     node: so there is only one unanswered question at a time, and it is lost
//     exactly when its connection breaks, of which the joiner hears.
//   - The original's nodes did not handle a send that the full buffer refuses.
//     Here the buffer is two messages, so that a burst fills it and a search gets
//     there. The rest of the burst waits for room; a node that cannot send another message
//     that must not be missing resets the connection. Only a parent's news of other
//     places may be missing.
//
// # Why there are no loops
//
// A node m takes a child n only while m stays where it is, and in one of two
// cases. Either n holds m's lock: then both were children of one node, or m was
// the parent of n's parent, when the lock was given, and neither has moved since.
// Or n has come down from the root, asking one node after the other: each was a
// child of the one before when it was asked, and none was moving; so while n has
// no parent, nobody on its way has got below it. Faults do not change that: a
// node whose parent is lost, or that has lost its memory, asks the root.
//
// That is an argument; the tests check it. With three nodes,
// and a crash and a reset at any step, the space is closed: 1,669,476 states, in
// none of which there is a loop, and from each of which a tree can form. So it is
// with two crashes, with two resets, and with a crash and a partition, which it
// does not promise to survive: 8,068,031 states. With four nodes, a crash and a
// reset, the 48 million states to depth 25 are safe; with four and with six nodes
// 1.3 million states, and 100,000 walks each, are as clean, and so are walks with
// partitions.
//
// # Known limits
//
// If the root is down for good there is no tree any more. Nobody remembers what
// was measured: a place that was not worth a move may be measured again at once.
package overcast
