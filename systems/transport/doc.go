// Package transport is a reliable transport over UDP, without a handshake, and an application above
// it that sends messages.
//
// # The story
//
// Layer stands below any node: the messages that the node sends by env.TCP() go over UDP. It
// numbers what it sends, in packets: a message is one packet, or, if it is too large
// and Divisible, several fragments. The first packet opens a connection, in one
// direction, and the answer to it is an ack like any other.
//
// A connection has an identifier, which grows from one connection of a node to
// the next, and its numbers begin at a million times the identifier. If a connection has more
// packets than that, it uses up the identifiers whose numbers it reaches. Only the first packet,
// the syn, contains the identifier. The receiver remembers, for each peer, which identifiers it has
// known, even after the connection has ended or the receiver has crashed: a syn that it knows
// already is late, and refused, or was sent again.
//
// The sender keeps a window of packets in flight, each with a timer. The receiver
// acknowledges everything up to a number, and keeps packets that arrive out of order. When a
// timer fires, everything in flight counts as lost, and is sent again, the oldest
// first, with a window of one packet and a longer time-out; after a third ack with
// nothing new, the oldest packet is sent again at once. Between these events the window grows, as
// that of TCP does. After a long time without an ack the sender gives up: it
// closes the connection, and the one from the peer, too, and reports a
// sim.PeerError to the node above. That is rare.
//
// A packet of a connection that its receiver does not know is answered by a
// reset, which closes that connection and no other. A syn closes the
// earlier connection from the same sender. Both are reported to the node above. With
// Options.Paired each datagram also contains the sessions of both ends, and an error cuts
// both directions at both ends.
//
// Send refuses when the buffer to the peer is full. RequestToSend is answered by a
// sim.ClearToSend when there is room, or ended by a sim.PeerError.
//
// The application sends numbered messages to each peer, in turn. After
// an error it begins again with that peer, with a new incarnation.
//
// # What is promised
//
// The messages of an incarnation are delivered whole and in order, each once,
// whatever is lost, doubled or reordered below. In the end, unless
// nodes go on crashing or giving up, everything sent is acknowledged and delivered,
// both ends agree on the next number, and neither timers nor datagrams are left.
// An ack covers everything that arrived without a gap, and nothing else. A
// crash, or a sender that gives up, costs each end one connection and no more. A partition
// and a pause are nothing new: they lose datagrams, or make them late.
//
// The transport promises nothing about three faults. A message to a node that is down for good stays
// unacknowledged until the sender gives up. A node whose disk was wiped uses identifiers again that its
// peers know, and they take its connections for late ones. When the disk fails, the transport panics,
// since it could not keep what it promises.
//
// # Known limits
//
//   - The time-out is not measured, since the order of readings is all that is known of the
//     clock, and not how long an answer took: the time-out begins with a second, and doubles.
//   - Nothing is sent on an idle connection. A node learns that a peer is gone when
//     it has something to send to the peer, or when the peer itself sends.
//   - Without Options.Paired an error cuts one direction, at its own time at each end,
//     and not both at once as an error of a TCP connection does: messages that the peer sent
//     before it learnt of the error may still arrive. A service that relies on the cut,
//     as randtree does, may stay wrong for ever after a crash.
//   - Datagrams and timers do not say which Layer they belong to: two Layers in one
//     stack would take each other's.
//   - Identifiers are on stable storage, which takes a sync for each connection, and for
//     each million packets of one.
package transport
