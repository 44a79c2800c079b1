// Package jointree is a benchmark: a random-tree join service of the size for which speed is
// measured. It is written for speed, and so that a bounded exhaustive search visits millions of
// different states: four nodes, two maps per node, two timers, six message types and two coins.
//
// # The story
//
// The first node is the root. A node without a parent asks to join whenever its join timer
// fires: a coin decides whether it asks the root or its friend, which is the next of the other
// nodes. A node that has room for a child accepts; one that has none redirects the joiner to one of
// its children, chosen at random; one that has no parent itself redirects it to the root. A
// node with a parent has a recover timer instead: when it fires, the node probes its parent and
// its children, and gives up those that did not answer since it last fired. Timers fire at any
// time, so nodes that are well are given up, too; they get a message that they may leave, and
// join again. The service never comes to rest.
//
// # What is promised
//
// A node without a parent has its join timer set, one with a parent its recover
// timer; no node has too many children, or itself as a child. From every state a state can be
// reached in which all nodes have a parent.
//
// # The ballast
//
// The parameter ballast adds maps, slices and strings to each node, of about
// 1 KB or 20 KB. A part of it changes when neighbours do: it copies what the
// node's own maps have, so that a search visits the same number of states with
// every ballast, and only their size differs.
//
// # How large it is
//
// With four nodes, from the start:
//
//	depth      states   transitions
//	    6       4,132        13,353
//	    8      32,269       116,452
//	   10     234,986       902,965
//	   12   1,651,952     6,645,497
//
// # Known limits
//
// It is not a good tree. Loops are possible, since a node that was given up keeps
// its children and may be redirected below them.
//
// # Written for speed
//
// Messages and signals are empty or hold one address, which Go puts into an
// interface without allocating; handlers range over Env.Peers, which are in order,
// instead of sorting the keys of a map; a line of log is made only if somebody
// reads it. A handler allocates nothing.
package jointree
