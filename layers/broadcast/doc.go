// Package broadcast is a layer that sends messages to all nodes. If one node gets a
// message, every node that stays up gets it once, even if the sender crashes in between.
//
// # How it is used
//
// The node above the layer calls Send. Every node gets each broadcast as a message from its
// sender, the sender included. A node that gets a broadcast for the first time forwards it
// to all others before it passes it up. This is eager reliable broadcast: it costs a
// message for each pair of nodes, and needs no list of the nodes that are up.
//
// # Known limits
//
//   - It sends by the TCP of the layer below. A connection that breaks loses its queued
//     messages; if that can happen, put the layer over systems/stopwait or a similar one.
//     A refused message is sent when there is room.
//   - Messages of different senders are not ordered.
//   - For each sender it remembers the first missing number, and the numbers beyond it that it has got.
//   - A node that crashes forgets these, and numbers its own messages from 1 again.
package broadcast
