// Package brokentree is a toy overlay: nodes join a tree at its root, and from
// time to time the tree reorganises itself at random. It is the BrokenTree of
// the MaceMC work, here with the errors of the original switched on by name.
//
// # The story
//
// The first node is the root. A node that is asked to join sends a join to the
// root. A node that takes a child answers by a joinReply; a node that has no
// room sends the join on to one of its children, chosen at random; a node that
// cannot answer now refuses, and the joiner, if it has no parent yet, asks the
// root again when its timer fires. A join travels by a small routing step whose
// forward handler runs on the source, on every hop and at the destination, and
// may consume it (see route).
//
// When the root has heard of every node it begins to reorganise: whenever its
// timer fires it sends its children their brothers and their grandparent. A
// child passes the like on to its own children, and then, with two chances in
// five, asks one of those nodes to be its new parent. When it is
// taken it asks the old parent to remove it.
//
// # Readings of the original
//
//   - In the paper every node reorganises; in the file that was published only
//     the root does. Here it is the root: the message goes down the whole tree
//     anyway, and one timer is fewer orders to explore than one a node.
//   - The two chances in five were one choice of five ways. Explored, that is
//     three equal branches and two equal branches; here it is a coin of two
//     sides with weights 3 and 2.
//   - The original sends the join again whenever the timer fires. TCP loses
//     nothing without an error, and two joins under way could be answered by
//     two parents, so here the timer is set when a join was refused, or a
//     parent lost: at most one join of a node is ever unanswered.
//   - The original never answers a join from a child. Here every join gets
//     exactly one answer: otherwise its sender would wait for ever, and refuse
//     all joins meanwhile.
//
// # What is promised
//
// With at most three nodes: no loops, and from every state a tree with one root
// can form, in which children and parents agree. The refusal while one's own
// join is unanswered (see BT2) ensures it: if two siblings ask each other, both
// refuse. Both properties were decided exactly, not by sampling, for states with
// at most three messages under way per node: 76,290 states. (System.Within leaves
// other states out; without it the space is infinite, since the root may begin to
// reorganise again before the last time is over.)
//
// # Known limits
//
// With four nodes and more a longer loop is possible, with no bug switched on:
// a moves below b, then b below c, and then c, which had heard of a as a brother
// before all this, below a. Nobody is waiting for an answer when it is asked,
// and no node knows its ancestors beyond its grandparent. A lock over the nodes
// involved would prevent it.
//
// A message that a full buffer refuses is lost, as in the original, which did not look: a
// root whose reorganisations have filled the buffer to a node may take it as a
// child without its hearing of that. With buffers for 20 messages random walks in
// which one link is slow meet it soon (--net tcp-buffer=20); here they have room for
// 10,000. overcast has none of these limits.
//
// Errors of connections are handled as in the original, which forgets the
// other end; a join that was being sent on by a third node when its connection
// broke stays unanswered.
package brokentree
