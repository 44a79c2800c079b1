// Package transport is a reliable transport over UDP, without a handshake, and an
// application above it that sends messages.
//
// # The story
//
// Layer stands below any node: what that sends by env.TCP() goes over UDP. It
// numbers what it sends, in packets: a message is one, or, where it is too large
// and Divisible, several fragments. The first packet opens a connection, in one
// direction, and the answer to it is an ack like any other.
//
// A connection has an identifier, which grows from one connection of a node to
// the next, and its numbers begin at a million times that: one that goes on for longer
// uses up the identifiers whose numbers it comes to. Only the first packet, the syn,
// carries it. The receiver remembers of each peer which identifiers it has
// known, longer than connections and lives last: a syn that it knows already is
// late, and refused, or was sent again.
//
// The sender keeps a window of packets in flight, each with a timer. The receiver
// acknowledges everything up to a number, and keeps what comes out of order. When a
// timer fires everything in flight counts as lost, and is sent again, the oldest
// first, with a window of one packet and a longer time-out; a third ack with
// nothing new has the oldest sent again at once. Between these the window grows, as
// that of TCP does. After a long time without an ack the sender gives up: it
// closes the connection, and that from the peer too, and reports a
// sim.PeerError to the node above. That is rare.
//
// A packet of a connection that its receiver does not know is answered with a
// reset, which closes that connection and no other. A syn closes the
// connection from the same sender that was there before. Both are reported above. With
// Options.Paired each datagram also carries the sessions of both ends, and an error cuts
// both directions at both ends.
//
// Send refuses when the buffer to the peer is full. RequestToSend is answered by a
// sim.ClearToSend when there is room, or voided by a sim.PeerError.
//
// The application sends numbered messages to each peer, in turn. When it hears of
// an error it begins again with that peer, with a new incarnation.
//
// # What is promised
//
// The messages of an incarnation are delivered whole and in order, none twice, none
// left out, whatever is lost, doubled or reordered below. In the end, unless
// nodes go on to crash or to give up, everything sent is acknowledged and delivered,
// both ends agree on the next number, and neither timers nor datagrams are left.
// An ack covers nothing that did not arrive, and all that it could cover. A
// crash, or a sender that gives up, costs each end one connection and no more.
//
// # Known limits
//
//   - The time-out is not measured, since how long an answer took cannot be read
//     off a clock of which only the order of its readings is known: it begins with a
//     second, and doubles.
//   - Nothing is sent on an idle connection: that a peer is gone is heard of when
//     there is something to send to it, or when it sends itself.
//   - Without Options.Paired an error cuts one direction, at its own time at each end,
//     and not both at once as that of a TCP connection does: what the peer sent
//     before it heard of the error may still come. A service that counts on the cut,
//     as randtree does, may stay wrong for ever after a crash.
//   - Datagrams and timers do not say which Layer they belong to: two Layers in one
//     stack would take each other's.
//   - Identifiers are on stable storage, which takes a sync for each connection, and for
//     each million packets of one.
package transport
