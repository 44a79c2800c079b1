// Package pastry is key-based routing over a ring, written as a service for use,
// with the errors of the MaceMC work's Pastry switched on by name, and those that
// came up while it was written.
//
// # The story
//
// Every node has a key of 160 bits, and answers for the keys that are closest to
// it. It knows the nearest nodes on both sides, its leaf set, and a routing table
// with a row for each digit: the nodes of row r begin with the same r digits as it
// does, and go on with another. A message for a key goes to the closest leaf, if
// the leaves reach as far as the key; else to a node that begins with one digit
// more of it; else, in the rare case that none is known, to one that is closer and
// begins with the same number.
//
// A node joins by sending a join to a peer, which is routed to the node that is
// closest to the joiner's own key. Each node that forwards it also sends the joiner the
// rows that both share; the last one sends the rest, and its leaf set. The first
// row that is still needed travels along, since a buffer may fill: the joiner asks
// again until it has all. It is a member then, and says so to all it knows of.
//
//	join            joiner -> peer -> ... -> closest: let me in
//	rowInfo         to the joiner, or who asked: a row of the table
//	leafSetInfo     to the joiner, or to the asker: the leaves
//	informRequest   to a node that was heard of: are you a member?
//	inform          I am one
//	leafSetRequest  to a leaf, from time to time
//	probe, probed   by UDP, to and from a candidate of the table, from time to time
//	rowRequest      to a node that answered a probe
//	remove          I am no member
//
// Leaves keep connections, so that a node whose leaf fails hears of it. Others
// that hear of the leaf from it make it a candidate of their tables at once: asking
// whether it is there would cost a connection for each mention. A node in a row
// is probed first, and a leaf must have been heard from. A node whose connection
// breaks is forgotten.
//
// Members ask leaves and candidates for theirs, one after the other, whenever the
// timers fire, and so show that they are there. Rings that were cut apart
// know nothing of each other; for that, members send a join that needs no rows to
// one of their peers, from time to time. It ends at the node that is closest to
// them on the other side.
//
// An application may stand on the ring: it is a node of its own, whose Env is an
// Overlay, and sends messages to names. A message is routed to the node whose key is
// closest to that of the name.
//
// # Which nodes wait for others
//
// A joiner must not be let in by one that is no member: it knows nobody. So who
// is not a member yet, and gets a join from the joiner itself, keeps it until it
// is one. A join that was sent on is another matter. Its sender takes the
// receiver for a member, and may do so for ever: the receiver failed and came
// back, a node that had not noticed named it to the sender, and it is alive, so
// that there is no error. The join may be its own (PA4), or that of another node
// which failed with it and whose join is sent to this one in turn (PA5). The
// MaceMC work left PA5 open. Two things that one would try first are found
// wanting: if such a join is kept as well, two joiners may wait for each other
// (PA6); if joins are only sent to those who answered a probe, a restarted node
// answers, too, long before it is a member (PA7).
//
// The sender's mistake is about membership, and one node alone knows better. So
// here a node that is not a member says so to each node that takes it for one: it answers a join
// that was sent on, and every other request to members, by remove. The sender
// forgets it, as if it had failed, and the next join of the same joiner goes
// another way. Another node that still is mistaken may name it again;
// but that ends when the joins of either get through between two such mentions, and
// every answer leaves one fewer who is. A remove never takes away a member: it was
// sent before the inform of the same node, on the same connection, which keeps the
// order; where the connection broke in between, the maintenance of leaves brings
// the node back.
//
// # Readings of the original
//
//   - Keys are worked out from addresses by everybody, and are not in messages.
//   - The original answers by remove only where a join was sent on.
//   - It asks leaves and candidates at random; here, one after the other.
//   - A cell of the table has room for eight candidates instead of ten, which no cell
//     would ever have among 64 nodes. With four, 64 nodes take twice the steps.
//   - A recovery's join may be sent at any time; it costs a message where nothing
//     was cut.
//   - A probe looks whether a candidate is there, as most were only heard of. Those
//     that answered are asked for rows, and preferred by routing. The papers do not say what
//     the original's probes were for.
//   - With no peers a node begins a ring of its own; with peers, it waits for them.
//     So peers must not wait for each other in a circle.
//   - Refused messages are not sent again. A node that needs an answer asks again, and
//     the other news comes with the maintenance of leaves.
//
// # What is promised
//
// No node is in both halves of a leaf set; a member answers for its own
// key. After crashes, resets and partitions, all nodes can be in one ring again
// if none is down for good: leaf sets are symmetric, and every key is found within
// one hop more than leaf sets alone would need. Pauses are survived, and partitions in
// one direction. So are datagrams that are lost, doubled or reordered: these are
// probes, and each can be sent again. No node may be down for good: one ring of all nodes
// is asked for, and if it is the first node, which begins the ring, then nodes that were told of no
// other peer wait for it for ever.
package pastry
