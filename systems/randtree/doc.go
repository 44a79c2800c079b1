// Package randtree is a random overlay tree with bounded out-degree, written as
// a service for use, with the errors of the MaceMC work's RandTree switched on
// by name, and those that came up while it was written.
//
// # The story
//
// The application names peers to a node and asks it to join. It sends a join to
// one of them, and when its join timer fires, to the next. The node that is asked sends the
// join on to the root of its tree. A root that is higher than the joiner makes it
// a root itself, and goes to join it: so the lowest address wins. A lower
// one lets it in: it takes the joiner as a child if there is room, and else
// pushes the join down to a child at random, which does the same. A node that its own root
// asks answers that this would be a loop: the root is one already.
//
// Trees that formed apart find each other by the recovery timer: whenever it
// fires, a node probes the next of its peers. If the roots differ, the higher one
// hears of it, directly or by a probe-join, and goes to join the lower one, with its
// whole tree. Parents inform children of a new root, and a root informs its children
// of each other: when it dies, the lowest of them is the next root, and the others
// join that. A node that loses another parent joins the root. A node that is asked in
// one of these ways becomes a peer.
//
// An application may leave: its node says so to its parent and its children, who
// look for another place.
//
//	join        from -> peer -> ... -> root -> child -> ... : have you room?
//	joinReply   to the joiner: accepted, force root, loop error
//	remove      to a parent, or who believes to be one: I am not your child
//	rejoin      to a child: do not be my child any more
//	newRoot     to children: the tree has another root
//	update      to the root's children: the list of them
//	probe       to a peer: this is my root; probed: I have compared it
//	probeJoin   to a root: there is a lower one
//
// # Why parents and children agree
//
// A node lists a child before the child knows, and until the child has said
// remove, or the connection broke. Each acceptance is answered by exactly one
// remove, at once or later. Connections keep the order, and when one breaks, both
// ends hear of it, what was under way is lost, and both forget each other. A
// first message to a node that crashed may reach its next life; it answers an
// acceptance by a remove too. So nothing has to be asked or repeated: no timer
// watches over children. It rests on no message getting lost in silence: where a
// send is refused, the acceptance does not take place, or, where the other end
// must know, the connection is broken, so that it hears.
//
// # Why there are no loops
//
// A tree grows where its root serves a join, and moves where its root takes a
// parent. A root that serves a join while it looks for a parent gives up looking,
// and acceptances of joins that it sent before that do not count: attempts are
// numbered. A join that was pushed down is served only if it comes from the parent.
// So along a path upwards, each node began the attempt by which it came to its
// place after it had served the one below, which had begun its own before: at the
// end of a loop that would be later than itself. The numbers never begin again: a
// join can be under way for any number of attempts, and an acceptance that seems to
// be of the present one closes a loop. So the count outlives a crash, see RT28: a
// live node has to keep it where it survives, or to begin with something as good, as
// the time. It makes the states of three nodes infinitely many, and so the space is
// bounded: five attempts of each node.
//
// # Readings of the original
//
//   - A probe has an answer, so that a node waits for it before it sends the next
//     and does not fill the buffer. Joins are not limited: a node that waits for a place
//     asks again whenever its timer fires, and Send may refuse.
//   - Only the children of a root know of siblings; nobody else makes use of them.
//   - A join by a node that is a child already has no answer (see RT18).
//   - The original's remove and news were sent as if that could not fail.
//   - The papers do not say what RandTree's rejoin was for. Here it is for leaving.
//   - RT16 and RT17 are one mistake. RT16 is the case where the dead parent was the root.
//
// # What is promised
//
// No loops; a node that has joined is a root or has a parent; a node is in init, or its
// recovery timer is set. After any number of crashes with restarts, resets and
// partitions, one tree can form whose nodes agree about parents, children, root
// and siblings. With two nodes that holds exactly, within three messages under way
// for each node, for a crash, a reset or a partition. With three nodes and a crash
// or a reset it holds exactly within five attempts of each node to find a parent,
// where connections queue one message and a timer fires at most once while one is
// under way to its node or from it (6,458,756 and 4,472,998 states). Without these
// bounds every state to depth 13 was visited (517,212), with four nodes, a crash and
// a reset to depth 10 (285,209), and 100,000 walks of each, with storms, found
// nothing. Partitions in one direction and pauses are survived as well: what TCP does
// not deliver breaks the connection, or arrives later. It is not promised that a node
// finds others if all that it knows of are down for good.
package randtree
