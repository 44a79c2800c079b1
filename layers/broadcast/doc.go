// Package broadcast is a layer of messages to all: what one node gets, every node that
// stays up gets, once, also where the sender crashed on the way.
//
// # The story
//
// The node above the layer says Send, and gets what anybody sent as a message from there,
// its own included. Whoever gets one for the first time sends it on to all others before
// it hands it up. That is eager reliable broadcast: it costs as many messages as there are
// pairs of nodes, and needs nobody to know who is up.
//
// # Known limits
//
//   - It sends by the TCP of the layer below. A connection that breaks loses what was
//     queued there: where those may, put the layer over systems/stopwait or the like.
//     What is refused is sent when there is room.
//   - Messages of different nodes are in no order.
//   - It remembers the numbers of what it got: of each node the first that is missing, and
//     those that came before their turn.
//   - A node that crashes forgets, and counts anew.
package broadcast
