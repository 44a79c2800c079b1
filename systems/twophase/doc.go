// Package twophase is two-phase commit in the style of the published TLA+
// specification (TwoPhase, of "Consensus on Transaction Commit"): guarded
// actions, and a set of messages in which a message, once sent, can be received
// again and again.
//
// # The story
//
// The first node is the transaction's coordinator, the others are its resource managers. A
// working manager may prepare, and say so to the coordinator, or abort by itself, silently. The
// coordinator notes which are prepared; when all are, it may commit; at any moment before, it
// may abort. It sends its decision to every manager, and a manager obeys it.
//
// # A count to check the checker by
//
// States and transitions are those of the specification, one by one: messages
// that a node does not react to are not accepted, what it reacts to is accepted
// again and again, and the coordinator's order is n messages that are always
// sent together. So the published counts hold here, self-loops included:
//
//	managers   states   transitions
//	       3      288         1,145
//	       4    1,568         8,257
//	       5    8,832        58,145
//
// # What is promised
//
// No manager commits while another aborted; and from every state all managers
// can come to a decision, since the coordinator may abort until it commits.
//
// # Known limits
//
// No node crashes. A manager that obeys does not look at its own state, as in the
// specification: the protocol, and not a check in the manager, ensures that an aborted one
// never gets a commit.
package twophase
